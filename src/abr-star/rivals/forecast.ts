import type { ThroughputSample } from '../types.js';

/** How many samples the mean is taken over, and over how many its errors are watched (Yin et al., §7.1.1). */
const WINDOW = 5;

/**
 * RobustMPC's lower bound for the throughput of the next downloads: the harmonic mean of the last five, divided by one plus
 * the largest relative error that this mean made about any of the last five (Yin et al., "A Control-Theoretic Approach
 * for Dynamic Adaptive Video Streaming over HTTP", §5). Bit/s, or undefined without a sample.
 */
export function robustForecast(samples: readonly ThroughputSample[]): number | undefined {
  // Each error is that of a mean over as many samples before.
  const rates = samples
    .slice(-2 * WINDOW)
    .map(({ bytes, seconds }) => (bytes * 8) / seconds)
    .filter((rate) => rate > 0 && rate < Infinity);
  if (rates.length === 0) return undefined;
  const errors = rates.map((rate, index) => (index === 0 ? 0 : Math.abs(harmonicMean(rates, index) / rate - 1)));
  return harmonicMean(rates, rates.length) / (1 + Math.max(...errors.slice(-WINDOW)));
}

/** Of up to five rates before the one at `end`. */
function harmonicMean(rates: readonly number[], end: number): number {
  const window = rates.slice(Math.max(0, end - WINDOW), end);
  return window.length / window.reduce((sum, rate) => sum + 1 / rate, 0);
}
