// @ts-check
import { bundled } from './bundle.mjs';

const WORKERS = {
  plain: 'src/voxel-loader/worker/main.ts',
  live: 'src/voxel-loader/worker/main-live.ts',
  lab: 'lab/worker/main.ts',
};

/**
 * The program of the session's worker as one minified script. Builds put it into the plugin as `VOXEL_WORKER_SOURCE`, so
 * that the plugin needs no second file.
 * @param {keyof typeof WORKERS} program the build that it is for
 * @returns {Promise<string>}
 */
export async function bundleWorker(program) {
  const { code } = await bundled({ entry: WORKERS[program], format: 'script', isPlugin: program !== 'lab' });
  return code.trim();
}
