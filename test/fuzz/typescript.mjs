// @ts-check
// The player's parsers, with Jazzer.js: typescript/targets/ has a module for each, typescript/seeds/ their inputs.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { ensureNodePackages } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { say, UserError } from '../../tools/setup/process.mjs';

const folder = join(import.meta.dirname, 'typescript');
const output = join(root, 'output/fuzz/typescript');
const build = join(root, 'node_modules/.cache/fuzz/targets');

/** Bytes of an input: enough for a few frames. */
const MAX_LENGTH = 4096;
/** Seconds and megabytes for one input: far above what any may take. */
const TIMEOUT = 10;
const MEMORY = 2048;

export const targets = readdirSync(join(folder, 'targets')).map((file) => parse(file).name);

/** @param {readonly string[]} chosen @param {number} secondsEach @returns {Promise<boolean>} */
export async function fuzz(chosen, secondsEach) {
  await ensureNodePackages();
  const { prepareNativeLibrary } = await import('./typescript/native-library.mjs');
  const native = await prepareNativeLibrary();
  await bundleTargets(chosen);
  let isClean = true;
  for (const target of chosen) {
    say(`fuzzing ${target} for ${secondsEach} s`);
    isClean = (await fuzzTarget(target, secondsEach, native)) && isClean;
  }
  return isClean;
}

/** One file each, which Jazzer.js instruments when it imports it. @param {readonly string[]} chosen @returns {Promise<void>} */
async function bundleTargets(chosen) {
  const { default: webpack } = await import('webpack');
  const compiler = webpack({
    mode: 'development',
    devtool: false,
    target: 'node',
    entry: Object.fromEntries(chosen.map((target) => [target, join(folder, 'targets', `${target}.ts`)])),
    experiments: { outputModule: true },
    output: { path: build, filename: '[name].mjs', library: { type: 'module' } },
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
  });
  await new Promise((resolve, reject) => {
    compiler.run((error, stats) => {
      if (error ?? stats?.hasErrors()) reject(error ?? new UserError(String(stats), 1));
      else resolve(undefined);
    });
  });
}

/**
 * @param {string} target @param {number} seconds @param {{ args: string[], env: NodeJS.ProcessEnv }} native
 * @returns {Promise<boolean>} false after a finding
 */
function fuzzTarget(target, seconds, native) {
  const corpus = join(output, 'corpus', target);
  const findings = join(output, 'findings', target);
  for (const path of [corpus, findings]) mkdirSync(path, { recursive: true });
  const jazzer = join(root, 'node_modules/@jazzer.js/core/dist/cli.js');
  const instrumented = ['--includes', build, '--excludes', 'none', '--disableBugDetectors', '.*', '--sync'];
  const limits = [
    `-max_total_time=${seconds}`,
    `-max_len=${MAX_LENGTH}`,
    `-timeout=${TIMEOUT}`,
    `-rss_limit_mb=${MEMORY}`,
    `-artifact_prefix=${findings}/`,
    '-print_final_stats=1',
  ];
  const inputs = [join(build, `${target}.mjs`), corpus, join(folder, 'seeds', target)];
  return new Promise((resolve, reject) => {
    const args = [...native.args, jazzer, ...inputs, ...instrumented, '--', ...limits];
    const child = spawn(process.execPath, args, { cwd: root, env: native.env, stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0));
  });
}
