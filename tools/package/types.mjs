// @ts-check
// One declaration file for each of the package's entry points, without the modules behind it.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateDtsBundle } from 'dts-bundle-generator';
import { root } from '../setup/paths.mjs';

const dist = join(root, 'dist');
const entries = [
  { name: 'voxel-dash', filePath: 'player/index.ts' },
  { name: 'voxel-dash-full', filePath: 'player/full.ts' },
  { name: 'voxel-hls', filePath: 'player/hls/index.ts' },
  { name: 'voxel-video', filePath: 'player/element/index.ts' },
];

const declarations = generateDtsBundle(
  entries.map(({ filePath }) => ({
    filePath: join(root, filePath),
    output: { noBanner: true, exportReferencedTypes: false, inlineDeclareGlobals: true },
  })),
  { preferredConfigPath: join(root, 'tsconfig.types.json') },
);
entries.forEach(({ name }, index) => {
  const file = join(dist, `${name}.d.ts`);
  writeFileSync(file, /** @type {string} */ (declarations[index]));
  // TypeScript takes a declaration file for a CommonJS one by the folder that it is in, too.
  copyFileSync(file, join(dist, 'umd', `${name}.d.ts`));
});
