// @ts-check
// `voxel-lab`: the simulator as a program of its own, in dist/lab/.
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { root } from '../setup/paths.mjs';

const FOLDER = join(root, 'dist/lab');

/** The program, and what its threads run: a file beside it, as `lab/sim/pool.ts` looks for it. */
const PROGRAMS = { 'voxel-lab.js': 'lab/compare/voxel-lab.ts', 'worker.mjs': 'lab/sim/worker.ts' };

/** Not made shorter: who reads a stack, or how something is computed, reads this. @returns {Promise<void>} */
export async function buildLab() {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/lab/package.json'), 'utf8'));
  for (const [file, entry] of Object.entries(PROGRAMS)) {
    const outfile = join(FOLDER, file);
    await esbuild.build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      define: { VOXEL_LAB_VERSION: JSON.stringify(version) },
      banner: { js: '#!/usr/bin/env node' },
    });
    chmodSync(outfile, 0o755);
  }
}
