import { Link } from '../link/link.js';
import type { Trace } from '../link/trace.js';

/** What a player at a fixed latency has to bring through a link. Times in s. */
export interface LiveDemand {
  /** Bit/s, without which there is no new picture. */
  readonly rate: number;
  /** Duration of a chunk. */
  readonly chunk: number;
  /** From when a chunk can be sent until it must be here. */
  readonly lead: number;
}

/**
 * Seconds of `window` in which no player at that latency has new pictures, whatever it leaves out and however well it foretells the link:
 * chunks of one size are sent in order, and one that would be late is not sent at all, which brings the most of them in time (Moore and
 * Hodgson's rule for equal sizes). `start`: where in the trace the session begins; `window`: of the session.
 */
export function unavoidableOutage(
  trace: Trace,
  start: number,
  window: { readonly from: number; readonly to: number },
  { rate, chunk, lead }: LiveDemand,
): number {
  const link = new Link(trace, start);
  let free = 0;
  let missed = 0;
  for (let index = 0; index * chunk < window.to; index++) {
    const made = index * chunk;
    const end = link.timeToCarry(Math.max(free, made), (rate * chunk) / 8);
    if (end <= made + lead) free = end;
    else if (made >= window.from) missed++;
  }
  return missed * chunk;
}
