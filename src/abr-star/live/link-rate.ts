import type { Dispersion, LiveState } from '../types.js';

/** Fewer packets say more about the sender's bursts than about the link: chunks that have fewer are taken together. */
const MIN_PACKETS = 8;

/** Rates looked back on: about two seconds. */
const RATES = 16;

/** Quantile of the rates at which they came: a rate that dips is believed before one that has returned. */
const QUANTILE = 0.25;

/** A window that grows is behind the link by as much. */
const WINDOW_HEADROOM = 1.25;

/**
 * Bit/s that can be counted on: a low quantile of the rates at which the datagrams of the latest chunks came, since a live stream
 * itself asks for less than the link can do, and at most what the sender's window lets through. Undefined: nothing is known yet.
 */
export function linkRate(live: Pick<LiveState, 'dispersions' | 'windowRate'> | undefined): number | undefined {
  if (!live) return undefined;
  const rates = ratesOf(live.dispersions)
    .slice(-RATES)
    .sort((a, b) => a - b);
  const rate = rates[Math.floor(QUANTILE * (rates.length - 1))];
  if (rate === undefined) return undefined;
  return Math.min(rate, WINDOW_HEADROOM * (live.windowRate ?? Infinity));
}

/** Bit/s, oldest first. */
function ratesOf(dispersions: readonly Dispersion[]): number[] {
  const rates: number[] = [];
  let packets = 0;
  let bytes = 0;
  let seconds = 0;
  for (const chunk of dispersions) {
    packets += chunk.packets;
    bytes += chunk.bytes;
    seconds += chunk.seconds;
    if (packets < MIN_PACKETS) continue;
    if (bytes > 0 && seconds > 0) rates.push((8 * bytes) / seconds);
    packets = bytes = seconds = 0;
  }
  return rates;
}
