import type { ThroughputSample } from '../../src/abr-star/types.js';
import { harmonicMean, latestRates } from './rates.js';

/** How many samples the mean is taken over, and over how many its errors are watched (Yin et al., §7.1.1). */
const WINDOW = 5;

/**
 * RobustMPC's lower bound for the throughput of the next downloads: the harmonic mean of the last five, divided by one plus
 * the largest relative error that this mean made about any of the last five (Yin et al., "A Control-Theoretic Approach
 * for Dynamic Adaptive Video Streaming over HTTP", §5). Bit/s, or undefined without a sample.
 */
export function robustForecast(samples: readonly ThroughputSample[]): number | undefined {
  // Each error is that of a mean over as many samples before.
  const rates = latestRates(samples, 2 * WINDOW);
  if (rates.length === 0) return undefined;
  const meanBefore = (end: number): number => harmonicMean(rates.slice(Math.max(0, end - WINDOW), end));
  const errors = rates.map((rate, index) => (index === 0 ? 0 : Math.abs(meanBefore(index) / rate - 1)));
  return meanBefore(rates.length) / (1 + Math.max(...errors.slice(-WINDOW)));
}
