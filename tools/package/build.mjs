// @ts-check
// `npm run build`: the packages, the demo page and the comparison, into dist/.
import { copyFileSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../setup/paths.mjs';
import { PARTS, writeBundle } from './bundle.mjs';
import { buildLab } from './lab.mjs';
import { bundleWorker, namesTogether, partBundle } from './worker-source.mjs';

const dist = join(root, 'dist');

/** Copies files or folders of the checkout. @param {string} folder in dist/ @param {readonly string[]} sources */
function copy(folder, sources) {
  mkdirSync(join(dist, folder), { recursive: true });
  for (const source of sources) copyFileSync(join(root, source), join(dist, folder, basename(source)));
}

mkdirSync(dist, { recursive: true });
// What a build of another version left would be published, too.
for (const name of readdirSync(dist))
  if (/^(voxel-|umd$|repair$|lab$)/.test(name)) rmSync(join(dist, name), { recursive: true });

const [plain, live, hls, lab] = await Promise.all([
  bundleWorker('plain'),
  bundleWorker('live'),
  bundleWorker('hls'),
  bundleWorker('lab'),
]);

/** What plays live streams in hls.js is a file beside the plugin's, which it imports with the first of them. */
const HLS_LIVE = { entry: 'player/hls/live/index.ts', file: './voxel-hls-live.js' };
const hlsNames = await namesTogether(['player/hls/index.ts', HLS_LIVE.entry]);
/** Workers that follow live streams, or never do, load nothing for that. */
const parts = ['removal', 'paths'];

/** The entry points: modules, and scripts whose exports are those of the global `voxelDash`. */
const PLUGINS = [
  { file: 'voxel-dash', entry: 'player/index.ts', worker: plain, parts },
  { file: 'voxel-dash-live', entry: 'player/live/index.ts', worker: live, parts },
  { file: 'voxel-dash-lab', entry: 'lab/index.ts', worker: lab, hasShortNames: false },
  {
    ...{ file: 'voxel-hls', entry: 'player/hls/index.ts', worker: hls, parts: ['removal', 'following'] },
    ...{ names: hlsNames, shared: { module: 'player/hls/live/index.js', file: HLS_LIVE.file } },
  },
];
for (const { file, ...plugin } of PLUGINS) {
  await writeBundle({ hasShortNames: true, ...plugin, format: 'esm' }, `dist/${file}.js`);
  await writeBundle({ hasShortNames: true, ...plugin, format: 'umd', name: 'voxelDash' }, `dist/umd/${file}.js`);
}
// For one release: the laboratory by its old name. The script names the laboratory's source map as its own.
await writeBundle(
  { entry: 'lab/full.ts', format: 'esm', shared: { module: 'lab/index.js', file: './voxel-dash-lab.js' } },
  'dist/voxel-dash-full.js',
);
copyFileSync(join(dist, 'umd/voxel-dash-lab.js'), join(dist, 'umd/voxel-dash-full.js'));
// The element's module shares the plugin's instead of carrying it once more.
await writeBundle(
  { entry: 'player/element/index.ts', format: 'esm', shared: { module: 'player/index.js', file: './voxel-dash.js' } },
  'dist/voxel-video.js',
);
await writeBundle(
  { entry: 'player/element/script.ts', format: 'umd', name: 'voxelDash', worker: plain, parts, hasShortNames: true },
  'dist/umd/voxel-video.js',
);
// Beside each of the folders' bundles, as they look for them.
for (const part of PARTS) await writeBundle(await partBundle(part), `dist/voxel-${part}.js`);
await writeBundle(
  { entry: HLS_LIVE.entry, format: 'esm', hasShortNames: true, names: hlsNames },
  'dist/voxel-hls-live.js',
);
for (const part of [...PARTS, 'hls-live'])
  for (const ending of ['js', 'js.map'])
    copyFileSync(join(dist, `voxel-${part}.${ending}`), join(dist, `umd/voxel-${part}.${ending}`));
// The worker as a file of its own, for pages that allow none from a Blob URL; every build may use it.
writeFileSync(join(dist, 'voxel-worker.js'), `${lab}\n`);

const REPAIR = { entry: 'src/repair/public.ts', hasShortNames: true };
await writeBundle({ ...REPAIR, format: 'esm' }, 'dist/repair/voxel-repair.js');
await writeBundle({ ...REPAIR, format: 'umd', name: 'voxelRepair' }, 'dist/repair/umd/voxel-repair.js');
copy('repair', ['packages/repair/package.json', 'packages/repair/README.md', 'LICENSE']);
await buildLab();
copy('lab', ['packages/lab/package.json', 'packages/lab/README.md', 'LICENSE']);
// The packages are ESM: `require` takes their UMD files for CommonJS only in a folder that says so.
for (const folder of ['umd', 'repair/umd'])
  writeFileSync(join(dist, folder, 'package.json'), '{ "type": "commonjs" }\n');

const DASH = 'node_modules/dashjs/dist/modern/umd/dash.all.min.js';
cpSync(join(root, 'demo/static'), join(dist, 'demo'), { recursive: true });
copy('demo', [DASH, 'node_modules/uplot/dist/uPlot.min.css']);
await writeBundle({ entry: 'demo/main.ts', format: 'script', worker: lab }, 'dist/demo/demo.js');
await writeBundle({ entry: 'demo/check/main.ts', format: 'script' }, 'dist/demo/check.js');

cpSync(join(root, 'demo/compare/static'), join(dist, 'compare'), { recursive: true });
copy('compare', [DASH, 'demo/static/base.css']);
await writeBundle({ entry: 'demo/compare/live-main.ts', format: 'esm', worker: lab }, 'dist/compare/compare.js');
await writeBundle({ entry: 'demo/compare/recorded-main.ts', format: 'esm', worker: lab }, 'dist/compare/recorded.js');
