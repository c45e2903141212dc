// @ts-check
// The parsers of voxel-serve and voxel-prepare, with atheris: python/targets/ has a module for each, python/seeds/ their inputs.
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { say } from '../../tools/setup/process.mjs';
import { ensurePython } from '../../tools/setup/python.mjs';
import { libFuzzerOptions, runLibFuzzer } from './lib-fuzzer.mjs';

const folder = join(import.meta.dirname, 'python');

/** Seconds and megabytes for one input: far above what any may take. */
const LIMITS = { timeout: 25, memory: 1024 };

export const targets = readdirSync(join(folder, 'targets'))
  .filter((file) => /^[a-z].*\.py$/.test(file))
  .map((file) => parse(file).name);

/** @param {readonly string[]} chosen @param {number} secondsEach @returns {Promise<boolean>} */
export async function fuzz(chosen, secondsEach) {
  await ensurePython('fuzzing');
  let isClean = true;
  for (const target of chosen) {
    say(`fuzzing ${target} for ${secondsEach} s`);
    isClean = (await fuzzTarget(target, secondsEach)) && isClean;
  }
  return isClean;
}

/** @param {string} target @param {number} seconds @returns {Promise<boolean>} false after a finding */
function fuzzTarget(target, seconds) {
  const { corpus, words } = libFuzzerOptions('python', target, { seconds, ...LIMITS });
  const inputs = [corpus, join(folder, 'seeds', target), `-dict=${join(folder, 'words.dict')}`];
  return runLibFuzzer(venvProgram('python'), [join(folder, 'fuzz_target.py'), target, ...inputs, ...words]);
}
