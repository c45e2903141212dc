import type { FirstLink } from '../../src/delivery/index.js';

/** What the browser's record of that answer tells. */
export function linkTo(url = ''): FirstLink {
  const timing = performance.getEntriesByName(url, 'resource').at(-1) as PerformanceResourceTiming | undefined;
  if (!timing) return { roundTrip: 0, rate: Infinity };
  const { requestStart, responseStart, responseEnd, encodedBodySize, transferSize } = timing;
  // Nothing was transferred: it was in the browser's cache, or another origin does not tell.
  const rate = transferSize > 0 ? (8000 * encodedBodySize) / (responseEnd - responseStart) : Infinity;
  return { roundTrip: (responseStart - requestStart) / 1000, rate };
}
