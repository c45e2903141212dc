// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as esbuild from 'esbuild';
import { root } from '../setup/paths.mjs';
import { hardPrivate } from './hard-private.mjs';
import { internalNames } from './internal-names.mjs';
import { minify } from './minify.mjs';

/**
 * A bundle of TypeScript. `format`: an ES module, the body of a script, or one file for script elements and `require`, whose exports are on a page
 * those of the global `name`. `worker`: program of the session's worker, for the plugin to start. `shared`: module that it imports from a file
 * beside it instead. `isPlugin`: names that never leave it are short ones.
 * @typedef {object} Bundle
 * @property {string} entry path in the checkout
 * @property {'esm' | 'script' | 'umd'} format
 * @property {string} [name]
 * @property {string} [worker]
 * @property {{ module: string, file: string }} [shared]
 * @property {boolean} [isPlugin]
 */

/** @param {Bundle} bundle @param {string} out path in the checkout; without it there is no source map @returns {Promise<import('./minify.mjs').Script>} */
export async function bundled({ entry, format, name = 'bundle', worker, shared, isPlugin }, out = '') {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    outfile: out || 'bundle.js',
    target: 'es2022',
    format: format === 'esm' ? 'esm' : 'iife',
    ...(format === 'umd' && { globalName: name, ...umd(name) }),
    ...(worker !== undefined && { define: { VOXEL_WORKER_SOURCE: JSON.stringify(worker) } }),
    ...(out !== '' && { sourcemap: 'external' }),
    ...(isPlugin && { mangleProps: new RegExp(`^(?:${internalNames().join('|')})$`) }),
    plugins: [...(isPlugin ? [hardPrivate] : []), ...(shared ? [sharing(shared)] : [])],
  });
  const textOf = (/** @type {string} */ ending) => outputFiles.find(({ path }) => path.endsWith(ending))?.text;
  return minify({ code: textOf('.js') ?? '', map: textOf('.js.map') });
}

/** Writes it and its source map. @param {Bundle} bundle @param {string} out @returns {Promise<void>} */
export async function writeBundle(bundle, out) {
  const { code, map = '' } = await bundled(bundle, out);
  mkdirSync(dirname(join(root, out)), { recursive: true });
  writeFileSync(join(root, out), `${code}\n//# sourceMappingURL=${basename(out)}.map\n`);
  writeFileSync(join(root, `${out}.map`), map);
}

/** What goes around a script that defines `name`, so that loaders of CommonJS take it, too. @param {string} name */
const umd = (name) => ({
  banner: {
    js: `((root,factory)=>{typeof module==="object"&&module.exports?module.exports=factory():root.${name}=factory()})(globalThis,()=>{`,
  },
  footer: { js: `return ${name}});` },
});

/** @param {NonNullable<Bundle['shared']>} shared @returns {import('esbuild').Plugin} */
const sharing = ({ module, file }) => ({
  name: 'shared',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ path, resolveDir }) =>
      join(resolveDir, path) === join(root, module) ? { path: file, external: true } : undefined,
    );
  },
});
