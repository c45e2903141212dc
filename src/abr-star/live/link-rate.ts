import type { LiveState } from '../types.js';

/** A chunk of fewer datagrams says more about the sender's bursts than about the link. */
const MIN_PACKETS = 8;

/** Chunks looked back on: about two seconds. */
const CHUNKS = 16;

/** Of the rates at which they came: a rate that dips is believed before one that has returned. */
const QUANTILE = 0.25;

/** A window that grows is behind the link by as much. */
const WINDOW_HEADROOM = 1.25;

/**
 * Bit/s that can be counted on: a low quantile of the rates at which the datagrams of the latest chunks came, since a live stream
 * itself asks for less than the link can do, and at most what the sender's window lets through. Undefined: nothing is known yet.
 */
export function linkRate(live: Pick<LiveState, 'dispersions' | 'windowRate'> | undefined): number | undefined {
  if (!live) return undefined;
  const rates = live.dispersions
    .filter(({ packets }) => packets >= MIN_PACKETS)
    .slice(-CHUNKS)
    .map(({ bytes, seconds }) => (8 * bytes) / seconds)
    .filter((rate) => rate > 0 && Number.isFinite(rate))
    .sort((a, b) => a - b);
  const rate = rates[Math.floor(QUANTILE * (rates.length - 1))];
  if (rate === undefined) return undefined;
  return Math.min(rate, WINDOW_HEADROOM * (live.windowRate ?? Infinity));
}
