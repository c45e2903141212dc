// @ts-check
import { join } from 'node:path';
import { build } from 'vite';
import { root } from '../setup/paths.mjs';

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
  const output = await build({
    configFile: false,
    root,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: join(root, WORKERS[program]), formats: ['iife'], name: 'worker' },
    },
  });
  const [bundle] = [output].flat();
  if (!bundle || !('output' in bundle)) throw new Error('the worker has no bundle');
  return bundle.output[0].code.trim();
}
