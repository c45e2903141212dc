// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { root } from '../setup/paths.mjs';
import { changed, harden, loosen } from './shorter-source.mjs';
import { internalNames } from './internal-names.mjs';
import { minify } from './minify.mjs';

/**
 * A bundle of TypeScript. `format`: an ES module, the body of a script, or one file for script elements and `require`, whose exports are on a page
 * those of the global `name`. `worker`: program of the session's worker, for the plugin to start. `shared`: module that it imports from a file
 * beside it instead. `hasShortNames`: names that never leave it are short ones.
 * `names`: what some of them are, in all bundles that hand objects to each other.
 * @typedef {object} Bundle
 * @property {string} entry path in the checkout
 * @property {'esm' | 'script' | 'umd'} format
 * @property {string} [name]
 * @property {string} [worker]
 * @property {readonly string[]} [parts] of `PARTS`, those that its worker may load
 * @property {{ module: string, file: string }} [shared]
 * @property {boolean} [hasShortNames]
 * @property {Readonly<Record<string, string>>} [names]
 */

/** @param {Bundle} bundle @param {string} out path in the checkout; without it there is no source map @returns {Promise<import('./minify.mjs').Script>} */
export async function bundled(bundle, out = '') {
  const { entry, format, name = 'bundle', worker, parts = PARTS, shared, hasShortNames, names = {} } = bundle;
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    outfile: out || 'bundle.js',
    target: 'es2022',
    // Fields without a value are not declared.
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    format: format === 'esm' ? 'esm' : 'iife',
    ...(format === 'umd' && { globalName: name, footer: { js: umd(name).after } }),
    banner: {
      js: `${format === 'umd' ? umd(name).before : ''}${hasShortNames && worker !== undefined ? partUrls(format, parts) : ''}`,
    },
    ...(worker !== undefined && { define: { VOXEL_WORKER_SOURCE: JSON.stringify(worker) } }),
    ...(out !== '' && { sourcemap: 'external' }),
    ...(hasShortNames && mangling(names)),
    plugins: [
      ...(hasShortNames ? [changed((text) => loosen(harden(text)))] : []),
      ...(shared ? [sharing(shared)] : []),
    ],
  });
  const textOf = (/** @type {string} */ ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text;
  return minify({ code: textOf('.js') ?? '', map: textOf('.js.map') });
}

/** Makes names short that never leave the plugin. @param {Readonly<Record<string, string>>} names what some of them are */
export const mangling = (names) => ({
  mangleProps: new RegExp(`^(?:${internalNames().join('|')})$`),
  mangleCache: names,
});

/** Writes it and its source map. @param {Bundle} bundle @param {string} out @returns {Promise<void>} */
export async function writeBundle(bundle, out) {
  const { code, map = '' } = await bundled(bundle, out);
  mkdirSync(dirname(join(root, out)), { recursive: true });
  writeFileSync(join(root, out), `${code}\n//# sourceMappingURL=${basename(out)}.map\n`);
  writeFileSync(join(root, `${out}.map`), map);
}

/** What goes around a script that defines `name`, so that loaders of CommonJS take it, too. @param {string} name */
const umd = (name) => ({
  before: `((root,factory)=>{typeof module==="object"&&module.exports?module.exports=factory():root.${name}=factory()})(globalThis,()=>{`,
  after: `return ${name}});`,
});

/** What of the worker's program is in files of its own, which few pages need: `voxel-NAME.js`. */
export const PARTS = ['removal', 'paths', 'following'];

/**
 * Where a bundle finds the parts of its worker: files beside its own. In a module it is written as bundlers look for it, who then copy the file.
 * @param {Bundle['format']} format @param {readonly string[]} parts
 */
function partUrls(format, parts) {
  const urls = parts.map(
    (part) => `${part}:new URL("./voxel-${part}.js",${format === 'esm' ? 'import.meta.url' : 'place'}).href`,
  );
  const known = `({${urls.join()}})`;
  if (format === 'esm') return `const VOXEL_PART_URLS=()=>${known};`;
  return `const place=globalThis.document?.currentScript?.src;const VOXEL_PART_URLS=()=>place?${known}:{};`;
}

/** @param {NonNullable<Bundle['shared']>} shared @returns {import('esbuild').Plugin} */
const sharing = ({ module, file }) => ({
  name: 'shared',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ path, resolveDir }) =>
      join(resolveDir, path) === join(root, module) ? { path: file, external: true } : undefined,
    );
  },
});
