// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { venvProgram } from '../../../tools/setup/paths.mjs';
import { ensureSample } from '../../../tools/start/sample.mjs';

const LEVEL = '720p:2';
const POLL_MS = 50;

/** A stream of 2 Mbit/s, to be replayed. @param {string} recording the folder that is made @param {number} seconds @returns {Promise<void>} */
export async function record(recording, seconds) {
  const encoder = startLive(await ensureSample(), ['--out', recording, '--representations', LEVEL, '--keep']);
  await sleep(1000 * seconds);
  await encoder.stop();
}

/** @param {string} input @param {string[]} args */
export function startLive(input, args) {
  const child = spawn(venvProgram('voxel-live'), [input, ...args], { stdio: ['ignore', 'ignore', 'ignore'] });
  const exited = once(child, 'exit');
  return {
    async stop() {
      if (child.exitCode === null) child.kill('SIGINT');
      await exited;
    },
  };
}

/** The one whose files are there, empty, before its first chunk. @param {string} site */
export async function newestSegment(site) {
  for (;;) {
    const track = existsSync(site) ? readdirSync(site).find((name) => /^v\d+$/.test(name)) : undefined;
    const numbers =
      track === undefined ? [] : readdirSync(join(site, track)).flatMap((name) => /^(\d+)\.m4s$/.exec(name)?.[1] ?? []);
    if (track !== undefined && numbers.length > 0) return { track, number: Math.max(...numbers.map(Number)) };
    await sleep(POLL_MS);
  }
}
