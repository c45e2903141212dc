/** Seconds to the server and back from which a rule's first rate is too high: a new connection sends a window for each round trip. */
const NEAR = 0.1;

/**
 * Bit/s that the first segment's representation may have at most while the segments' sizes are not known. `ruleRate`: what the rule counts on
 * over a near link; `roundTrip` in seconds, 0 where it is not known.
 */
export function firstRateOver(ruleRate = 0, roundTrip: number): number {
  return ruleRate * Math.min(1, NEAR / roundTrip);
}
