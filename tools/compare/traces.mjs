// @ts-check
import { readFileSync } from 'node:fs';
import { seededRandom } from '../link/random.mjs';
import { UserError } from '../setup/process.mjs';

/** @typedef {import('../link/capacity.mjs').Trace} Trace */

/**
 * A mobile link as a random walk, a rate for each half second: its logarithm is a first-order autoregression around the median.
 * @param {{ seed: number, seconds: number, mbps: number, deviation: number, correlation: number, redrawn?: number }} settings `mbps`:
 *   the median; `deviation` and `correlation` of the logarithm; `redrawn`: seconds after which the rate is drawn anew, whatever it was
 * @returns {Trace}
 */
export function walk({ seed, seconds, mbps, deviation, correlation, redrawn = Infinity }) {
  const random = seededRandom(seed);
  // The sum of twelve uniform numbers is as good as normal.
  const normal = () => Array.from({ length: 12 }, random).reduce((sum, value) => sum + value, -6);
  const step = 0.5;
  let state = normal();
  const rates = Array.from({ length: seconds / step }, (_, index) => {
    const kept = (index * step) % redrawn === 0 ? 0 : correlation;
    state = kept * state + Math.sqrt(1 - kept ** 2) * normal();
    return mbps * 1e6 * Math.exp(deviation * state);
  });
  return { step, rates };
}

/**
 * The same link with stretches in which little comes through: the rate fades, stays low, and is back at once.
 * @param {Trace} trace @param {readonly { start: number, end: number, factor: number, fade?: number }[]} stretches s; `factor`: what is left
 *   of the rate, after so many seconds of `fade`
 * @returns {Trace}
 */
export function weakened({ step, rates }, stretches) {
  const factorAt = (/** @type {number} */ second) => {
    const stretch = stretches.find(({ start, end }) => second >= start && second < end);
    if (!stretch) return 1;
    const { start, factor, fade = 0 } = stretch;
    // In equal steps of the logarithm, as signals fade.
    return second - start < fade ? factor ** ((second - start) / fade) : factor;
  };
  return { step, rates: rates.map((rate, index) => rate * factorAt(index * step)) };
}

/**
 * Seconds of a recorded link: `second,mbps` lines under that header.
 * @param {string} path @param {{ start: number, seconds: number, scale?: number }} part @returns {Trace}
 */
export function recordedTrace(path, { start, seconds, scale = 1 }) {
  const { step, rows } = table(path, 'second,mbps');
  const part = rows.slice(start / step, (start + seconds) / step);
  return { step, rates: part.map(([, mbps = 0]) => mbps * scale * 1e6) };
}

/**
 * The same link with the delays and losses that were recorded from a second on: `second,delay_ms,loss_percent` lines under that header.
 * @param {Trace} trace @param {string} path @param {number} start @returns {Trace}
 */
export function underConditions(trace, path, start) {
  const { step, rows } = table(path, 'second,delay_ms,loss_percent');
  const conditions = trace.rates.map((_, index) => {
    const [, delayMs = 0, lossPercent = 0] = rows[Math.floor((start + index * trace.step) / step) % rows.length] ?? [];
    return { delayMs, lossPercent };
  });
  return { ...trace, conditions };
}

/** Rows of numbers in equal steps of `step` seconds. @param {string} path @param {string} columns */
function table(path, columns) {
  const [header, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const rows = lines.map((line) => line.split(',').map(Number));
  const { length } = columns.split(',');
  const isTable =
    header?.trim() === columns && rows.every((row) => row.length === length && row.every(Number.isFinite));
  if (!isTable) throw new UserError(`${path}: expected lines of ${columns} under that header`);
  return { step: rows.length > 1 ? Number(rows[1]?.[0]) - Number(rows[0]?.[0]) : 1, rows };
}
