// @ts-check
// The parsers of voxel-serve and voxel-prepare, with atheris: python/targets/ has a module for each, python/seeds/ their inputs.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { say } from '../../tools/setup/process.mjs';
import { ensurePython } from '../../tools/setup/python.mjs';

const folder = join(import.meta.dirname, 'python');
const output = join(root, 'output/fuzz/python');

/** Bytes of an input: enough for a few frames. */
const MAX_LENGTH = 4096;
/** Seconds and megabytes for one input: far above what any may take. */
const TIMEOUT = 25;
const MEMORY = 1024;

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
  const corpus = join(output, 'corpus', target);
  const findings = join(output, 'findings', target);
  for (const path of [corpus, findings]) mkdirSync(path, { recursive: true });
  const inputs = [corpus, join(folder, 'seeds', target)];
  const limits = [
    `-max_total_time=${seconds}`,
    `-max_len=${MAX_LENGTH}`,
    `-timeout=${TIMEOUT}`,
    `-rss_limit_mb=${MEMORY}`,
    `-artifact_prefix=${findings}/`,
    `-dict=${join(folder, 'words.dict')}`,
    '-print_final_stats=1',
  ];
  return new Promise((resolve, reject) => {
    const args = [join(folder, 'fuzz_target.py'), target, ...inputs, ...limits];
    const child = spawn(venvProgram('python'), args, { cwd: root, stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0));
  });
}
