import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';

/**
 * Bytes under brotli at its strongest, as servers store scripts. The goal for the plugin is 15 000, its worker included;
 * these limits only keep what there is from growing unseen.
 */
const LIMITS = { 'voxel-dash.js': 28_500, 'voxel-dash-full.js': 31_500, 'voxel-video.js': 1_100 };

beforeAll(ensureBuild, 600_000);

test.each(Object.entries(LIMITS))('%s stays below %i bytes', (name, limit) => {
  expect(brotliCompressSync(readFileSync(join(root, 'dist', name))).length).toBeLessThanOrEqual(limit);
});
