// @ts-check
// The player's parsers, with Jazzer.js: typescript/targets/ has a module for each, typescript/seeds/ their inputs.
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { ensureNodePackages } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { say } from '../../tools/setup/process.mjs';
import { libFuzzerOptions, runLibFuzzer } from './lib-fuzzer.mjs';

const folder = join(import.meta.dirname, 'typescript');
const build = join(root, 'node_modules/.cache/fuzz/targets');

/** Seconds and megabytes for one input: far above what any may take. */
const LIMITS = { timeout: 10, memory: 2048 };

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
  const { build: bundle } = await import('esbuild');
  await bundle({
    absWorkingDir: root,
    entryPoints: chosen.map((target) => join(folder, 'targets', `${target}.ts`)),
    outdir: build,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'es2022',
  });
}

/**
 * @param {string} target @param {number} seconds @param {{ args: string[], env: NodeJS.ProcessEnv }} native
 * @returns {Promise<boolean>} false after a finding
 */
function fuzzTarget(target, seconds, native) {
  const { corpus, words } = libFuzzerOptions('typescript', target, { seconds, ...LIMITS });
  const jazzer = join(root, 'node_modules/@jazzer.js/core/dist/cli.js');
  const instrumented = ['--includes', build, '--excludes', 'none', '--disableBugDetectors', '.*', '--sync'];
  const inputs = [join(build, `${target}.mjs`), corpus, join(folder, 'seeds', target)];
  const args = [...native.args, jazzer, ...inputs, ...instrumented, '--', ...words];
  return runLibFuzzer(process.execPath, args, native.env);
}
