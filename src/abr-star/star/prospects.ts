import type { Constants } from './constants.js';
import type { ThroughputSample } from '../types.js';

/** What a link may be while the next segment downloads. */
export interface Prospect {
  readonly secondsPerByte: number;
  readonly probability: number;
}

/**
 * A link whose rate is log-normal around `median`, as three rates: Gauss–Hermite quadrature, exact for polynomials of the
 * logarithm up to the fifth degree. `median` is in bit/s, `deviation` that of the rate's natural logarithm.
 */
export function prospectsAround(median: number, deviation: number): Prospect[] {
  const far = Math.exp(Math.sqrt(3) * deviation);
  const secondsPerByte = 8 / median;
  return [
    { secondsPerByte: secondsPerByte * far, probability: 1 / 6 },
    { secondsPerByte, probability: 2 / 3 },
    { secondsPerByte: secondsPerByte / far, probability: 1 / 6 },
  ];
}

/** The same link, which may also fade, unless it is a steady one: a reliable part that is small then comes in time, and a large one does not. */
export function withFade(prospects: readonly Prospect[], deviation: number, constants: Constants): Prospect[] {
  const { fadeChance, fadeFactor, leastDeviation, mostDeviation } = constants;
  const chance = (fadeChance * (deviation - leastDeviation)) / (mostDeviation - leastDeviation);
  const { secondsPerByte } = prospects[prospects.length >> 1]!;
  return [
    { secondsPerByte: secondsPerByte * fadeFactor, probability: chance },
    ...prospects.map((prospect) => ({ ...prospect, probability: prospect.probability * (1 - chance) })),
  ];
}

/** How far the rates of the latest downloads were from those before them: root mean square of the logarithm of the ratio. */
export function rateDeviation(
  samples: readonly ThroughputSample[],
  { leastDeviation, mostDeviation }: Constants,
): number {
  let squares = 0;
  let count = 0;
  let before: number | undefined;
  for (const { bytes, seconds, timeToFirstByte = 0 } of samples) {
    const rate = bytes / (seconds - timeToFirstByte);
    if (!(rate > 0 && rate < Infinity)) continue;
    if (before !== undefined) {
      squares += Math.log(rate / before) ** 2;
      count++;
    }
    before = rate;
  }
  if (count === 0) return mostDeviation;
  return Math.min(mostDeviation, Math.max(leastDeviation, Math.sqrt(squares / count)));
}

/** How unsteady a link of this deviation is: 1 for as unsteady as any is taken to be. */
export function unsteadiness(deviation: number, { mostDeviation }: Constants): number {
  return deviation / mostDeviation;
}

/**
 * Seconds of stall to expect of an outage that may come, with `bufferLevel` seconds to outlast it. Outages are taken to last
 * exponentially distributed times, and to come to steady links less.
 */
export function outageStall(bufferLevel: number, deviation: number, constants: Constants): number {
  const { outageChance, outageSeconds } = constants;
  return unsteadiness(deviation, constants) * outageChance * outageSeconds * Math.exp(-bufferLevel / outageSeconds);
}

/** The rate to count on, in bit/s: `bandwidthSafety` of the estimate on an unsteady link, more of it the steadier it is. */
export function safeRate(estimate: number, deviation: number, constants: Constants): number {
  return estimate * constants.bandwidthSafety ** unsteadiness(deviation, constants);
}
