// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { UserError } from '../../tools/setup/process.mjs';
import { clips } from './support/clips.mjs';

export const usage = `npm run bench -- codecs [--json] [--clip NAME] [--seconds S] [--representation SIZE:MBPS] [--preset NAME] [--out DIR]: each codec
that voxel-prepare encodes, at the same bitrate (360p:0.56), on S seconds (12) of all clips: SSIM against the source, the bytes that may be missing at
.99, .95 and .90 of the untouched segments, the index's share, what the analysis costs over encoding, and the bytes that AV1 takes for H.264's
SSIM. --preset: as for voxel-prepare. --out: where the figures of each clip and codec are kept, for the next run to go on from. --json: one
object on standard output. Exit code 1 where a bar is missed.`;

export const options = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  clip: { type: 'string' },
  seconds: { type: 'string', default: '12' },
  representation: { type: 'string', default: '360p:0.56' },
  preset: { type: 'string', default: 'slow' },
  out: { type: 'string' },
});

/** @param {{ json: boolean, clip?: string, seconds: string, representation: string, preset: string, out?: string }} values @returns {Promise<void>} */
export async function main({ json, clip, seconds, representation, preset, out }) {
  const program = join(import.meta.dirname, 'prepare', 'by_codec.py');
  const settings = ['--seconds', seconds, '--representation', representation, '--preset', preset];
  const kept = out === undefined ? [] : ['--out', out];
  const child = spawn(
    venvProgram('python'),
    [program, ...clips(clip), ...settings, ...kept, ...(json ? ['--json'] : [])],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  const [code] = /** @type {[number | null]} */ (await once(child, 'close'));
  if (code !== 0) throw new UserError('', code ?? 1);
}
