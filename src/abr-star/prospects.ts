import type { ThroughputSample } from './types.js';

/** A rate that a link may have while the next segment downloads, in bit/s. */
export interface Prospect {
  readonly rate: number;
  readonly probability: number;
}

/**
 * A link whose rate is log-normal around `median`, as three rates: Gauss–Hermite quadrature, exact for polynomials of the
 * logarithm up to the fifth degree. `deviation` is that of the rate's natural logarithm.
 */
export function prospectsAround(median: number, deviation: number): Prospect[] {
  const far = Math.exp(Math.sqrt(3) * deviation);
  return [
    { rate: median / far, probability: 1 / 6 },
    { rate: median, probability: 2 / 3 },
    { rate: median * far, probability: 1 / 6 },
  ];
}

/** Bounds of what is taken for the deviation: no link is that steady, and beyond, keeping what has arrived is the better answer. */
const LEAST_DEVIATION = 0.05;
const MOST_DEVIATION = 0.3;

/** How far the rates of the latest downloads were from those before them: root mean square of the logarithm of the ratio. */
export function rateDeviation(samples: readonly ThroughputSample[]): number {
  const rates = samples
    .map(({ bytes, seconds, timeToFirstByte = 0 }) => bytes / (seconds - timeToFirstByte))
    .filter((rate) => rate > 0 && rate < Infinity);
  if (rates.length < 2) return MOST_DEVIATION;
  const squares = rates.slice(1).map((rate, index) => Math.log(rate / rates[index]!) ** 2);
  const deviation = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
  return Math.min(MOST_DEVIATION, Math.max(LEAST_DEVIATION, deviation));
}

/**
 * The rate to count on, in bit/s: all of the estimate on a steady link, `safety` of it, in (0, 1], where the rate varies most.
 */
export function safeRate(estimate: number, deviation: number, safety: number): number {
  return estimate * safety ** (deviation / MOST_DEVIATION);
}
