import { KEEPS_UP } from './begin.js';

/** Seconds to the server and back from which a rule's first rate is too high: a new connection sends a window for each round trip. */
const NEAR = 0.1;

/** The same where a first piece is all that is waited for. */
const NEAR_IN_PIECES = 0.3;

/** Seconds in which all of the first segment should come, with its audio, over a link that is known to be slow: nothing can be said yet of how much of it will do. */
const LONGEST_FIRST = 1.5;

/** What is known of a link before anything was downloaded over it that was to be played. */
export interface FirstLink {
  /** Seconds to the server and back; 0: not known. */
  readonly roundTrip: number;
  /** Bit/s; infinite: not known. */
  readonly rate: number;
  /** Bit/s of the audio that comes beside, without which nothing plays; default 0. */
  readonly audioRate?: number;
}

/**
 * Bit/s that the first segment's representation may have at most while the segments' sizes are not known. `ruleRate`: what the rule counts on
 * over a near link. `inPieces`: it is played while it arrives, so what counts is that the rest keeps up.
 */
export function firstRateOver(
  ruleRate = 0,
  { roundTrip, rate, audioRate = 0 }: FirstLink,
  { segmentDuration, inPieces = false }: { readonly segmentDuration: number; readonly inPieces?: boolean },
): number {
  const share = inPieces ? KEEPS_UP : Math.min(1, LONGEST_FIRST / segmentDuration);
  const inTime = rate * share - audioRate;
  return Math.min(ruleRate * Math.min(1, (inPieces ? NEAR_IN_PIECES : NEAR) / roundTrip), inTime);
}
