import { sum } from '../../sim/report/statistics.js';

/** What a second's stall costs, in Mbit/s of a segment (SafeSABR, config.py). */
const STALL_WEIGHT = 40;

/** A session as SafeSABR's authors measure it. */
export interface Played {
  /** Mbit/s of each segment. */
  readonly rates: readonly number[];
  /** Seconds, without the start. */
  readonly stalled: number;
}

/** Their quality of experience: the sum of all segments' Mbit/s, less stalls and the steps from one segment to the next. */
export function qoeOf(played: Played): number {
  return sum(played.rates) - STALL_WEIGHT * played.stalled - stepsOf(played);
}

/** Mbit/s between neighbours, all together. */
export function stepsOf({ rates }: Played): number {
  return sum(rates.slice(1).map((rate, index) => Math.abs(rate - rates[index]!)));
}
