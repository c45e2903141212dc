import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';

beforeAll(ensureBuild, 600_000);

// A change of the public types is seen in a commit: `npm run package -- -u` writes it.
test.each([
  'voxel-dash',
  'voxel-dash-live',
  'voxel-dash-lab',
  'voxel-dash-full',
  'voxel-hls',
  'voxel-video',
  'repair/voxel-repair',
])('docs/api has the public types of %s', async (name) => {
  const types = readFileSync(join(root, `dist/${name}.d.ts`), 'utf8');
  await expect(types).toMatchFileSnapshot(join(root, `docs/api/${basename(name)}.d.ts`));
});
