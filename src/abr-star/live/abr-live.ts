import type { Abr, Choice, DecisionState, LiveState, Option } from '../types.js';
import { linkRate } from './link-rate.js';

/** Seconds in which the server has sent everything in time, before more is asked of it. */
const CALM = 2;

/**
 * Share of the measured rate that is counted on. What is left out when a link dips shows as a picture that stands still: gaps are for
 * what nobody could know, not to be planned with.
 */
const SAFETY = 0.8;

/**
 * The rule for live streams, where what does not come in time is not waited for: the highest representation that the link carries
 * whole. Down at once, up one representation at a time. Of each representation the last option (all of it) counts; the server leaves
 * out what has no time.
 */
export class AbrLive implements Abr {
  readonly name = 'abr-live';

  choose(state: DecisionState): Choice {
    const { lastChoice, options } = state;
    // The last one of each representation.
    const levels = options.filter((one, index) => options[index + 1]?.representation !== one.representation);
    const last = lastChoice && levels.findLastIndex((level) => level.representation <= lastChoice.representation);
    const rate = linkRate(state.live) ?? state.throughput;
    const best = rate === undefined ? Math.max(0, last ?? 0) : highestCarried(levels, SAFETY * rate, state);
    return { option: levels[withoutHaste(best, last, state.live)]!, delay: 0 };
  }

  reset(): void {
    // All that it goes by is in the state.
  }
}

/** Its place; the lowest where the link carries none. */
function highestCarried(levels: readonly Option[], rate: number, { segmentDuration, live }: DecisionState): number {
  const isCarried = ({ representation, bytes }: Option): boolean => {
    const keyFrameBytes = live?.keyFrameBytes[representation] ?? 0;
    return 8 * bytes <= rate * segmentDuration && (8 * keyFrameBytes) / rate <= (live?.slack ?? Infinity);
  };
  return Math.max(0, levels.findLastIndex(isCarried));
}

/** `last`: -1 where all of today's levels lie above the last choice. */
function withoutHaste(best: number, last: number | undefined, live: LiveState | undefined): number {
  if (last === undefined || best <= last) return best;
  const isCalm = (live?.secondsWithoutUnsent ?? Infinity) >= CALM;
  return Math.max(0, isCalm ? last + 1 : last);
}
