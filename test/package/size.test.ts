import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { pagePart } from '../../tools/package/page-part.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';

/**
 * Bytes under brotli at its strongest, as servers store scripts. The goal for the plugin is 24 000, its worker included;
 * these limits only keep what there is from growing unseen.
 */
const LIMITS = {
  'voxel-dash.js': 54_950,
  'voxel-dash-live.js': 63_750,
  'voxel-dash-lab.js': 81_450,
  'voxel-hls.js': 54_500,
  'voxel-hls-live.js': 5_250,
  'voxel-following.js': 11_900,
  'voxel-video.js': 1_460,
  'repair/voxel-repair.js': 10_800,
};

/** The same of `voxel-dash.js` without its worker. The goal is 16 000. */
const PAGE_LIMIT = 34_550;

beforeAll(ensureBuild, 600_000);

const read = (name: string): string => readFileSync(join(root, 'dist', name), 'utf8');

test.each(Object.entries(LIMITS))('%s stays below %i bytes', (name, limit) => {
  expect(brotliCompressSync(read(name)).length).toBeLessThanOrEqual(limit);
});

test('the part of the plugin that runs on the page has no repair and no assembly, and stays small', () => {
  const page = pagePart(read('voxel-dash.js'));
  expect(read('voxel-dash.js')).toContain('NAL unit');
  expect(page).not.toContain('NAL unit');
  expect(page).not.toContain('x-voxel-unreliable');
  expect(brotliCompressSync(page).length).toBeLessThanOrEqual(PAGE_LIMIT);
});
