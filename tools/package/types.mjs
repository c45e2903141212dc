// @ts-check
// One declaration file for each entry point of the packages, without the modules behind it.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateDtsBundle } from 'dts-bundle-generator';
import { root } from '../setup/paths.mjs';

const entries = [
  { name: 'voxel-dash', filePath: 'player/index.ts', folder: 'dist' },
  { name: 'voxel-dash-live', filePath: 'player/live/index.ts', folder: 'dist' },
  { name: 'voxel-dash-lab', filePath: 'lab/index.ts', folder: 'dist' },
  { name: 'voxel-dash-full', filePath: 'lab/full.ts', folder: 'dist' },
  { name: 'voxel-hls', filePath: 'player/hls/index.ts', folder: 'dist' },
  { name: 'voxel-video', filePath: 'player/element/index.ts', folder: 'dist' },
  { name: 'voxel-repair', filePath: 'src/repair/public.ts', folder: 'dist/repair' },
];

const declarations = generateDtsBundle(
  entries.map(({ name, filePath }) => ({
    filePath: join(root, filePath),
    // Only one declares something on the page: the element.
    output: { noBanner: true, exportReferencedTypes: false, inlineDeclareGlobals: name === 'voxel-video' },
  })),
  { preferredConfigPath: join(root, 'tsconfig.types.json') },
);
entries.forEach(({ name, folder }, index) => {
  const file = join(root, folder, `${name}.d.ts`);
  writeFileSync(file, /** @type {string} */ (declarations[index]));
  // TypeScript takes a declaration file for a CommonJS one by the folder that it is in, too.
  copyFileSync(file, join(root, folder, 'umd', `${name}.d.ts`));
});
