// @ts-check
import { join } from 'node:path';
import { root } from './paths.mjs';
import { run, say } from './process.mjs';
import { digestOf, once } from './stamp.mjs';

/** Installs what package-lock.json names. @returns {Promise<void>} */
export function ensureNodePackages() {
  return once(join(root, 'node_modules', '.voxel-installed'), digestOf(['package-lock.json']), async () => {
    say('installing Node packages …');
    const env = { ...process.env, PUPPETEER_SKIP_DOWNLOAD: '1' };
    // Not `npm ci`: it refuses a lock file that lacks another platform's optional packages, and mirrors may lack them.
    const install = ['install', '--no-save', '--loglevel=error', '--no-progress'];
    await run('npm', install, { cwd: root, env, output: 'on-failure' });
  });
}

/** From here on modules in TypeScript can be imported. @returns {Promise<void>} */
export async function ensureTypeScript() {
  await ensureNodePackages();
  const { register } = await import('tsx/esm/api');
  register();
}

/** Builds the packages and the demo page into dist/. @returns {Promise<void>} */
export function ensureBuild() {
  const inputs = [
    'package-lock.json',
    'tools/package',
    'tsconfig.base.json',
    'tsconfig.page.json',
    'tsconfig.types.json',
    'src',
    'player',
    'lab/index.ts',
    'lab/full.ts',
    'lab/attach-lab.ts',
    'lab/rivals',
    'lab/strategies',
    'lab/worker',
    'lab/compare',
    'lab/sim',
    ...['command-line', 'paths', 'process'].map((name) => `tools/setup/${name}.mjs`),
    'demo',
    'packages',
    'LICENSE',
    'docs/api',
  ];
  return once(join(root, 'dist', '.built'), digestOf(inputs), async () => {
    say('building the packages and the page …');
    await run('npm', ['run', 'build'], { cwd: root, output: 'on-failure' });
  });
}
