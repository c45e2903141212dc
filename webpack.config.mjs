import { cpSync } from 'node:fs';
import { resolve } from 'node:path';

const root = import.meta.dirname;
const dist = resolve(root, 'dist');

const common = {
  mode: 'production',
  devtool: 'source-map',
  resolve: { extensions: ['.ts', '.js'], extensionAlias: { '.js': ['.ts', '.js'] } },
  module: {
    rules: [
      {
        test: /\.ts$/,
        loader: 'ts-loader',
        options: {
          transpileOnly: true,
          configFile: resolve(root, 'tsconfig.json'),
          compilerOptions: { noEmit: false },
        },
      },
    ],
  },
  performance: { hints: false },
};

/** Puts the page's static files and the unmodified dash.js beside the demo bundle. */
const copyDemoFiles = {
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

export default [
  {
    ...common,
    name: 'esm',
    entry: './player/index.ts',
    experiments: { outputModule: true },
    output: { path: dist, filename: 'voxel-dash.js', library: { type: 'module' } },
  },
  {
    ...common,
    name: 'umd',
    entry: './player/index.ts',
    output: {
      path: dist,
      filename: 'voxel-dash.umd.js',
      library: { name: 'voxelDash', type: 'umd' },
      globalObject: 'globalThis',
    },
  },
  {
    ...common,
    name: 'demo',
    entry: './demo/main.ts',
    output: { path: resolve(dist, 'demo'), filename: 'demo.js' },
    plugins: [copyDemoFiles],
  },
];
