// @ts-check
import * as esbuild from 'esbuild';
import { root } from '../setup/paths.mjs';
import { bundled, mangling, PARTS } from './bundle.mjs';

const WORKERS = {
  plain: 'src/voxel-loader/worker/main.ts',
  live: 'src/voxel-loader/worker/main-live.ts',
  hls: 'src/voxel-loader/worker/main-hls.ts',
  lab: 'lab/worker/main.ts',
};

/** The bundle of a part of the worker's program. @param {string} part @returns {Promise<import('./bundle.mjs').Bundle>} */
export const partBundle = async (part) => ({
  entry: `src/voxel-loader/worker/parts/${part}.ts`,
  format: 'esm',
  hasShortNames: true,
  names: await workerNames(),
});

/**
 * The program of the session's worker as one minified script. Builds put it into the plugin as `VOXEL_WORKER_SOURCE`, so
 * that the plugin needs no second file.
 * @param {keyof typeof WORKERS} program the build that it is for
 * @returns {Promise<string>}
 */
export async function bundleWorker(program) {
  const hasShortNames = program !== 'lab';
  const { code } = await bundled({
    entry: WORKERS[program],
    format: 'script',
    hasShortNames,
    ...(hasShortNames && { names: await workerNames() }),
  });
  return code.trim();
}

/** @type {Promise<Record<string, string>> | undefined} */
let known;

/** Short names for the worker's programs and their parts. */
const workerNames = () =>
  (known ??= namesTogether([WORKERS.live, ...PARTS.map((part) => `src/voxel-loader/worker/parts/${part}.ts`)]));

/**
 * Short names for bundles that hand objects to each other: those that all of it together would have.
 * @param {readonly string[]} entries
 * @returns {Promise<Record<string, string>>}
 */
export async function namesTogether(entries) {
  const contents = entries.map((entry) => `export * from './${entry}';`).join('\n');
  const options = { bundle: true, write: false, format: /** @type {const} */ ('esm'), ...mangling({}) };
  const { mangleCache } = await esbuild.build({ stdin: { contents, resolveDir: root, loader: 'ts' }, ...options });
  return /** @type {Record<string, string>} */ (mangleCache);
}
