// @ts-check
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { outputOf, UserError } from '../../tools/setup/process.mjs';
import { median } from './server/process-figures.mjs';
import { atLeast, atMost, barLine } from '../sim/report/bar.js';

export const usage = `npm run bench -- live-encode [--json] [--codec NAME] [--seconds S] [--segments N] [--rungs]: what voxel-live costs with its five representations up to 720p30, and the
delay from the capture of a chunk to its record, in S seconds (60) of real time; how well foretold costs of frames rank, against decodes
without each frame, in N segments (3) of three clips; how far the score that the player tells of deliveries with losses is from that
of their decodes. With --codec av1 only the first two. Needs ../shared/data and a quiet machine. --json: one object on standard output.
--rungs: only what half the lowest rate is worth, with half the lines or half the frame rate: SSIM, bytes that must arrive, processor time.`;

export const options = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  codec: { type: 'string', default: 'h264' },
  seconds: { type: 'string', default: '60' },
  segments: { type: 'string', default: '3' },
  rungs: { type: 'boolean', default: false },
});

/** The first one is encoded in real time; of all of them costs are compared. */
const CLIPS = ['bbb_720p30_a.mp4', 'bbb_1080p24_c.mp4', 'sintel_1080p24_d.mp4'];

const MOST_CORES = 0.8;
const LEAST_CORRELATION = 0.9;
/** The median of all deliveries, in either direction. */
const MOST_TOLD_ERROR = 0.02;
/** Beyond what a chunk's first picture waits for its last one and those that the encoder holds back. */
const MOST_EXTRA_MS = 30;

/**
 * @typedef {{ cores: number, delayP95: number, waitMs: number, correlations: Record<string, number[]>,
 *   toldErrors: Record<string, number[]> }} Figures
 */

/** @param {{ json: boolean, codec: string, seconds: string, segments: string, rungs: boolean }} values */
export function main({ json, codec, seconds, segments: wanted, rungs }) {
  // What stands in for frames is H.264's.
  const segments = codec === 'h264' ? wanted : '0';
  const clips = CLIPS.map((name) => join(root, '../shared/data/videos', name));
  const absent = clips.find((path) => !existsSync(path));
  if (absent !== undefined) throw new UserError(`expected a clip at ${absent}, found none: npm run data`);
  if (rungs) {
    const of = outputOf(venvProgram('python'), [join(import.meta.dirname, 'live-encode', 'rungs.py'), ...clips]);
    if (of === undefined) throw new UserError('rungs.py failed', 1);
    console.log(of.trimEnd());
    return [];
  }
  const program = join(import.meta.dirname, 'live-encode', 'bench.py');
  const output = outputOf(venvProgram('python'), [
    ...[program, ...clips, '--seconds', seconds, '--segments', segments, '--codec', codec],
  ]);
  if (output === undefined) throw new UserError(`${program} failed`, 1);
  const figures = /** @type {Figures} */ (JSON.parse(output));
  const bars = [
    atMost('cores', figures.cores, MOST_CORES),
    atMost('delay from capture to record, p95, ms', figures.delayP95, figures.waitMs + MOST_EXTRA_MS),
    ...(codec === 'h264' ? barsOfCosts(figures) : []),
  ];
  console.log(json ? JSON.stringify(figures) : bars.map(barLine).join('\n'));
  return bars;
}

/** @param {Figures} figures */
function barsOfCosts(figures) {
  return [
    ...Object.entries(figures.correlations).map(([clip, of]) =>
      atLeast(`${clip}: lowest rank correlation of foretold costs`, Math.min(...of), LEAST_CORRELATION),
    ),
    atMost(
      'median error of told scores',
      median(Object.values(figures.toldErrors).flat().map(Math.abs)),
      MOST_TOLD_ERROR,
    ),
  ];
}
