import type { ThroughputSample } from '../../src/abr-star/types.js';

/** Rates of the latest downloads, at most so many, oldest first, in bit/s; those that say nothing are left out. */
export function latestRates(samples: readonly ThroughputSample[], count: number): number[] {
  return samples
    .slice(-count)
    .map(({ bytes, seconds }) => (bytes * 8) / seconds)
    .filter((rate) => rate > 0 && rate < Infinity);
}

export function harmonicMean(rates: readonly number[]): number {
  return rates.length / rates.reduce((sum, rate) => sum + 1 / rate, 0);
}
