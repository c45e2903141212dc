// @ts-check
import { join, resolve } from 'node:path';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { run } from '../../tools/setup/process.mjs';
import { sampleAndClips } from './support/clips.mjs';

export const usage = `npm run bench -- frames [--clip NAME] [--seconds S] [--out FILE]: which frames may be missing at which score, in each order
(chapters 4 and 5 of the thesis), for the first S seconds (16) of the sample and of each clip in ../shared/data/videos: a line of JSON
for each clip and representation. --out: the file (docs/results/frames/levels.jsonl); what it has of the same clips is replaced. Then
\`npm run evidence\` fills docs/EVIDENCE.md. Takes about two minutes of a core for each clip.`;

export const options = /** @type {const} */ ({
  clip: { type: 'string' },
  seconds: { type: 'string', default: '16' },
  out: { type: 'string', default: join(root, 'docs/results/frames/levels.jsonl') },
});

/** @param {{ clip?: string, seconds: string, out: string }} values */
export async function main({ clip, seconds, out }) {
  const chosen = await sampleAndClips(clip);
  const program = join(import.meta.dirname, 'frames', 'frames.py');
  await run(venvProgram('python'), [program, ...chosen, '--seconds', seconds, '--out', resolve(out)], { kind: 'tool' });
}
