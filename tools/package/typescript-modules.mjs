// @ts-check
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';

/** How webpack reads TypeScript: the part of its configuration that all bundles share. */
export const typescriptModules = {
  resolve: { extensions: ['.ts', '.js'], extensionAlias: { '.js': ['.ts', '.js'] } },
  module: {
    rules: [
      {
        test: /\.ts$/,
        loader: 'ts-loader',
        options: {
          transpileOnly: true,
          configFile: join(root, 'tsconfig.json'),
          compilerOptions: { noEmit: false },
        },
      },
    ],
  },
};
