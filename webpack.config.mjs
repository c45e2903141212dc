// @ts-check
import { cpSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import webpack from 'webpack';
import { typescriptModules } from './tools/package/typescript-modules.mjs';
import { bundleWorker } from './tools/package/worker-source.mjs';

const root = import.meta.dirname;
const dist = resolve(root, 'dist');

const [plainWorker, liveWorker, labWorker] = await Promise.all([
  bundleWorker('plain'),
  bundleWorker('live'),
  bundleWorker('lab'),
]);
/** @type {Readonly<Record<string, string>>} */
const WORKERS = { 'voxel-dash-live': liveWorker, 'voxel-dash-lab': labWorker, 'voxel-dash-full': labWorker };
/** @param {string} name */
const workerSource = (name) =>
  new webpack.DefinePlugin({ VOXEL_WORKER_SOURCE: JSON.stringify(WORKERS[name] ?? plainWorker) });

const common = {
  mode: 'production',
  devtool: 'source-map',
  ...typescriptModules,
  performance: { hints: false },
};

/** Puts the page's static files and the unmodified dash.js beside the demo bundle. */
const copyDemoFiles = {
  /** @param {webpack.Compiler} compiler */
  apply(compiler) {
    compiler.hooks.afterEmit.tap('copy-demo-files', () => {
      cpSync(resolve(root, 'demo/static'), resolve(dist, 'demo'), { recursive: true });
      cpSync(
        resolve(root, 'node_modules/dashjs/dist/modern/umd/dash.all.min.js'),
        resolve(dist, 'demo/dash.all.min.js'),
      );
      cpSync(resolve(root, 'node_modules/uplot/dist/uPlot.min.css'), resolve(dist, 'demo/uPlot.min.css'));
    });
  },
};

/** The same for the page that compares players, live and recorded. */
const copyCompareFiles = {
  /** @param {webpack.Compiler} compiler */
  apply(compiler) {
    compiler.hooks.afterEmit.tap('copy-compare-files', () => {
      cpSync(resolve(root, 'demo/compare/static'), resolve(dist, 'compare'), { recursive: true });
      cpSync(resolve(root, 'demo/static/base.css'), resolve(dist, 'compare/base.css'));
      cpSync(
        resolve(root, 'node_modules/dashjs/dist/modern/umd/dash.all.min.js'),
        resolve(dist, 'compare/dash.all.min.js'),
      );
    });
  },
};

/** The packages are ESM: `require` takes their UMD files for CommonJS only in a folder that says so. */
const markCommonJs = {
  /** @param {webpack.Compiler} compiler */
  apply(compiler) {
    compiler.hooks.afterEmit.tap('mark-commonjs', ({ outputOptions }) => {
      writeFileSync(resolve(outputOptions.path, 'package.json'), '{ "type": "commonjs" }\n');
    });
  },
};

/** `voxel-repair` is packed from a folder of its own, with what npm shows of it. */
const copyRepairPackage = {
  /** @param {webpack.Compiler} compiler */
  apply(compiler) {
    compiler.hooks.afterEmit.tap('copy-repair-package', () => {
      for (const file of ['packages/repair/package.json', 'packages/repair/README.md', 'LICENSE'])
        cpSync(resolve(root, file), resolve(dist, 'repair', basename(file)));
    });
  },
};

/** The worker as a file of its own, for pages that allow none from a Blob URL; every build may use it. */
const writeWorker = {
  /** @param {webpack.Compiler} compiler */
  apply(compiler) {
    compiler.hooks.afterEmit.tap('write-worker', () =>
      writeFileSync(resolve(dist, 'voxel-worker.js'), `${labWorker}\n`),
    );
  },
};

/** An ES module of the package. The element's module shares the plugin's instead of carrying it once more. @param {string} name @param {string} entry */
const esm = (name, entry) => ({
  ...common,
  name: `esm: ${name}`,
  entry,
  plugins: [workerSource(name)],
  experiments: { outputModule: true },
  output: { path: dist, filename: `${name}.js`, library: { type: 'module' } },
  externalsType: 'module',
  /** @param {{ context?: string, request?: string }} place */
  externals: ({ context = '', request = '' }) =>
    Promise.resolve(
      name === 'voxel-video' && resolve(context, request) === resolve(root, 'player/index.js')
        ? './voxel-dash.js'
        : undefined,
    ),
});

/** One file for script elements and `require`; on a page its exports are those of the global `voxelDash`. @param {string} name @param {string} entry */
const umd = (name, entry) => ({
  ...common,
  name: `umd: ${name}`,
  entry,
  output: {
    path: resolve(dist, 'umd'),
    filename: `${name}.js`,
    library: { name: 'voxelDash', type: 'umd' },
    globalObject: 'globalThis',
  },
  plugins: [workerSource(name), markCommonJs, writeWorker],
});

const repair = { ...common, entry: './src/repair/public.ts' };

export default [
  esm('voxel-dash', './player/index.ts'),
  esm('voxel-dash-live', './player/live/index.ts'),
  esm('voxel-dash-lab', './lab/index.ts'),
  esm('voxel-dash-full', './lab/full.ts'),
  esm('voxel-hls', './player/hls/index.ts'),
  esm('voxel-video', './player/element/index.ts'),
  umd('voxel-dash', './player/index.ts'),
  umd('voxel-dash-live', './player/live/index.ts'),
  umd('voxel-dash-lab', './lab/index.ts'),
  umd('voxel-dash-full', './lab/full.ts'),
  umd('voxel-hls', './player/hls/index.ts'),
  umd('voxel-video', './player/element/script.ts'),
  {
    ...repair,
    name: 'esm: voxel-repair',
    experiments: { outputModule: true },
    output: { path: resolve(dist, 'repair'), filename: 'voxel-repair.js', library: { type: 'module' } },
    plugins: [copyRepairPackage],
  },
  {
    ...repair,
    name: 'umd: voxel-repair',
    output: {
      path: resolve(dist, 'repair/umd'),
      filename: 'voxel-repair.js',
      library: { name: 'voxelRepair', type: 'umd' },
      globalObject: 'globalThis',
    },
    plugins: [markCommonJs],
  },
  {
    ...common,
    name: 'demo',
    entry: './demo/main.ts',
    output: { path: resolve(dist, 'demo'), filename: 'demo.js' },
    plugins: [workerSource('voxel-dash-lab'), copyDemoFiles],
  },
  {
    ...common,
    name: 'compare',
    entry: { compare: './demo/compare/live-main.ts', recorded: './demo/compare/recorded-main.ts' },
    output: { path: resolve(dist, 'compare'), filename: '[name].js' },
    plugins: [workerSource('voxel-dash-lab'), copyCompareFiles],
  },
  {
    ...common,
    name: 'check',
    entry: './demo/check/main.ts',
    output: { path: resolve(dist, 'demo'), filename: 'check.js' },
  },
];
