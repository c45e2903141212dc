// @ts-check
import { once } from 'node:events';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { UserError } from '../../tools/setup/process.mjs';
import { clips } from './support/clips.mjs';

export const usage = `npm run bench -- prepare [--json] [--full | --frontier] [--clip NAME] [--seconds S] [--profile NAME] [--out DIR]: what preparation costs,
what it gains, and whether what it says is so, on S seconds (32) of one clip (bbb_720p30_a.mp4); --full: of all clips, with the table
of all orders and levels (an hour), and the frontier; --frontier: only that: the bytes that a score takes with \`--profile droppable\` and with
\`thesis\`, of all clips. --profile: as for voxel-prepare. --out: where the figures of each clip are kept as soon as it is done, for the next run to go
on from. --json: one object on standard output. Exit code 1 where a bar is missed.`;

export const options = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  full: { type: 'boolean', default: false },
  frontier: { type: 'boolean', default: false },
  clip: { type: 'string' },
  seconds: { type: 'string', default: '32' },
  profile: { type: 'string' },
  out: { type: 'string' },
});

const DEFAULT_CLIP = 'bbb_720p30_a.mp4';

/** @param {{ json: boolean, full: boolean, frontier: boolean, clip?: string, seconds: string, profile?: string, out?: string }} values @returns {Promise<void>} */
export async function main({ json, full, frontier, clip, seconds, profile, out }) {
  const chosen = clips(clip ?? (full || frontier ? undefined : DEFAULT_CLIP));
  const program = join(import.meta.dirname, 'prepare', 'bench.py');
  const options = [
    '--seconds',
    seconds,
    ...(json ? ['--json'] : []),
    ...(full ? ['--full'] : []),
    ...(frontier ? ['--frontier'] : []),
    ...(profile ? ['--profile', profile] : []),
    ...(out ? ['--out', out] : []),
  ];
  const child = spawn(venvProgram('python'), [program, ...chosen, ...options], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = /** @type {[number | null]} */ (await once(child, 'close'));
  if (code !== 0) throw new UserError('', code ?? 1);
}
