// @ts-check
// What Jazzer.js and atheris have in common: both drive libFuzzer.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../tools/setup/paths.mjs';

/** Bytes of an input: enough for a few frames. */
const MAX_LENGTH = 4096;

/**
 * Where libFuzzer keeps its inputs and findings, and its options.
 * @param {string} language @param {string} target
 * @param {{ seconds: number, timeout: number, memory: number }} limits in all; seconds and megabytes for one input
 * @returns {{ corpus: string, words: string[] }}
 */
export function libFuzzerOptions(language, target, { seconds, timeout, memory }) {
  const [corpus, findings] = ['corpus', 'findings'].map((kind) => join(root, 'output/fuzz', language, kind, target));
  for (const path of [corpus, findings]) mkdirSync(/** @type {string} */ (path), { recursive: true });
  const words = [
    `-max_total_time=${seconds}`,
    `-max_len=${MAX_LENGTH}`,
    `-timeout=${timeout}`,
    `-rss_limit_mb=${memory}`,
    `-artifact_prefix=${findings}/`,
    '-print_final_stats=1',
  ];
  return { corpus: /** @type {string} */ (corpus), words };
}

/**
 * @param {string} program @param {string[]} args @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<boolean>} false after a finding
 */
export function runLibFuzzer(program, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, env, stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code === 0));
  });
}
