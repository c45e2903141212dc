// @ts-check
import { join, resolve } from 'node:path';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { run, UserError } from '../../tools/setup/process.mjs';
import { sampleAndClips } from './support/clips.mjs';

export const usage = `npm run bench -- jod --python PROGRAM [--clip NAME] [--seconds S] [--out FILE]: whether missing frames look as bad as SSIM says. Segments
of the top representation lose as many frames, in three orders, as give them the SSIM of a whole segment of a lower representation;
both are measured by VMAF and ColorVideoVDP (JOD: one less is what three of four viewers object to), for the first S seconds (8) of
the sample and of each clip in ../shared/data/videos. PROGRAM: a Python with the package cvvdp 0.5.7, as
  python3 -m venv DIR && DIR/bin/pip install cvvdp==0.5.7 'numpy<2'
makes it (it brings PyTorch, some gigabytes). --out: a line of JSON for each segment (docs/results/jod/segments.jsonl); other clips'
lines stay, and the table is of all.`;

export const options = /** @type {const} */ ({
  python: { type: 'string' },
  clip: { type: 'string' },
  seconds: { type: 'string', default: '8' },
  out: { type: 'string', default: join(root, 'docs/results/jod/segments.jsonl') },
});

/** @param {{ python?: string, clip?: string, seconds: string, out: string }} values */
export async function main({ python, clip, seconds, out }) {
  if (python === undefined)
    throw new UserError('--python is required: a Python with the package cvvdp (--help says how)');
  const program = join(import.meta.dirname, 'frames', 'jod.py');
  const options = ['--seconds', seconds, '--python', python, '--out', resolve(out)];
  await run(venvProgram('python'), [program, ...(await sampleAndClips(clip)), ...options], { kind: 'tool' });
}
