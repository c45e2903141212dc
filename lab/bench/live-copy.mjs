// @ts-check
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { UserError } from '../../tools/setup/process.mjs';
import { atMost, barLine } from '../sim/report/bar.js';

export const usage = `npm run bench -- live-copy [--json] [--minutes N] [--speed N] [--window S] [--clock-ppm N] [--sound-ppm N]: voxel-live --copy of an encoder
with two representations and sound for N minutes (60), in real time or N times as fast (--speed), while viewers can seek S seconds (60) back: whether sound
stays with its pictures (a tone with each white flash, in what is published), whether memory and folder grow after the first tenth, and
whether what is published is whole. The encoder's clock is N ppm (100) fast, that of its sound card as many (50) faster still; it wraps, jumps by 100 s
after a quarter, and after a half the encoder dies and begins anew with clocks that are slow. Too fast for the machine, what is deleted is not
seen and counts as wrong. --json: one object on standard output. Exit code 1 where a bar is missed.`;

export const options = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '60' },
  speed: { type: 'string', default: '1' },
  window: { type: 'string', default: '60' },
  'clock-ppm': { type: 'string', default: '100' },
  'sound-ppm': { type: 'string', default: '50' },
});

/** Bytes that the program may print. */
const MOST_OUTPUT = 1 << 26;

/** Ms. */
const MOST_LATE = 20;
/** Share by which the folder may grow. */
const MOST_GROWTH = 0.1;
/** The same of memory: inputs that are opened again take 11 of 107 MB more, once (25 restarts: no more). */
const MOST_MEMORY_GROWTH = 0.15;
const WARM_UP_SHARE = 0.1;
/** In a run that is shorter than that the folder and the playlists, which reach back for five minutes, fill until then. */
const WARM_UP_WINDOWS = 2;
/** Segments of one representation that a picture stands in for: where the clock jumps, and while the encoder is away. */
const MOST_STILLS = 15;

/**
 * @typedef {{ seconds: number, passed: number, exitCode: number, said: string[], late: [number, number | null][],
 *   tones: number, stills: number, wrong: string[], samples: [number, number, number][] }} Figures
 */

/** @param {{ json: boolean } & Record<string, string>} values */
export function main({ json, ...numbers }) {
  for (const [name, value] of Object.entries(numbers)) {
    if (!Number.isFinite(Number(value)) || (!name.endsWith('ppm') && Number(value) < 1))
      throw new UserError(`--${name} must be a number from 1 on, got '${value}'`);
  }
  const program = join(import.meta.dirname, 'live-copy', 'bench.py');
  const words = Object.entries(numbers).map(([name, value]) => `--${name}=${value}`);
  const { status, stdout } = spawnSync(venvProgram('python'), [program, ...words], {
    ...{ encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: MOST_OUTPUT },
  });
  if (status !== 0) throw new UserError(`${program} failed`, 1);
  const figures = /** @type {Figures} */ (JSON.parse(stdout));
  const { seconds, passed, late, wrong, samples } = figures;
  const heard = late.flatMap(([, one]) => (one === null ? [] : [Math.abs(1000 * one)]));
  const warmUp = Math.max(WARM_UP_SHARE * seconds, WARM_UP_WINDOWS * Number(numbers.window));
  const bars = [
    atMost('ms between a flash and its tone', Math.max(...heard), MOST_LATE),
    atMost('flashes without a tone', late.length - heard.length, 0),
    atMost('flashes that are missing', Math.floor(seconds / 10) - late.length, MOST_STILLS / 10 + 1),
    atMost('growth of memory', growth(samples, 1, warmUp), MOST_MEMORY_GROWTH),
    atMost('growth of the folder', growth(samples, 2, warmUp), MOST_GROWTH),
    atMost('segments that a picture stands in for', figures.stills, MOST_STILLS),
    atMost('faults in what is published', wrong.length, 0),
    atMost('exit code', figures.exitCode, 0),
  ];
  const summary = `${(seconds / 60).toFixed(1)} minutes in ${(passed / 60).toFixed(1)}`;
  console.log(json ? JSON.stringify({ ...figures, bars }) : [summary, ...wrong, ...bars.map(barLine)].join('\n'));
  return bars;
}

/**
 * The share by which the most after the warm-up is more than the most in it; 0 where nothing is measured after it.
 * @param {[number, number, number][]} samples @param {1 | 2} what @param {number} warmUp in seconds
 */
function growth(samples, what, warmUp) {
  const most = (/** @type {[number, number, number][]} */ some) => Math.max(0, ...some.map((one) => one[what]));
  const before = most(samples.filter(([seconds]) => seconds <= warmUp));
  return Math.max(0, most(samples.filter(([seconds]) => seconds > warmUp)) / before - 1);
}
