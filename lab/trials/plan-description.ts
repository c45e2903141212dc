import { playedSeconds, type Trial } from './plan.js';

/**
 * Seconds that a trial takes beside its video: the programs' start and end, the start-up, and the scoring of damaged
 * segments. Stalls come on top.
 */
export const OVERHEAD_SECONDS = 25;

/** The trials' names, one a line, and how long they take one at a time. */
export function describePlan(trials: readonly Trial[]): string {
  const seconds = trials.reduce((sum, trial) => sum + OVERHEAD_SECONDS + playedSeconds(trial), 0);
  const names = trials.map(({ id }) => `${id}\n`).join('');
  return `${names}${trials.length} trials, about ${Math.ceil(seconds / 60)} min without stalls`;
}
