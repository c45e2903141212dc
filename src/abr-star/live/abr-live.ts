import type { Abr, Choice, DecisionState, LiveState, Option } from '../types.js';
import { linkRate } from './link-rate.js';

/** How a segment's score falls with the share of its unreliable bytes that is left out, least costly first. */
const DIP_EXPONENT = 5 / 3;

/** Seconds in which the server has sent everything in time, before more is asked of it. */
const CALM = 2;

/**
 * Share of the measured rate that is counted on. What is left out when a link dips shows as a picture that stands still: on a 3G log players
 * that filled the link were interrupted for 3 s a minute, one at a lower representation not at all.
 */
const SAFETY = 0.8;

/** A representation, as far as it can be known before its next segment is encoded. */
interface Level {
  readonly representation: number;
  /** Reliable bytes alone. */
  readonly floor: Option;
  readonly whole: Option;
}

/**
 * The rule for live streams, where what does not come in time is not waited for: the representation with the best score to be
 * expected of what the link delivers of it. Down at once, up one representation at a time. Of each representation the first
 * option (its reliable bytes) and the last one (all of it) count; the server leaves out what has no time.
 */
export class AbrLive implements Abr {
  readonly name = 'abr-live';

  choose(state: DecisionState): Choice {
    const levels = levelsOf(state.options);
    const last =
      state.lastChoice && levels.findLastIndex((level) => level.representation <= state.lastChoice!.representation);
    const measured = linkRate(state.live) ?? state.throughput;
    const rate = measured === undefined ? undefined : SAFETY * measured;
    const best = rate === undefined ? Math.max(0, last ?? 0) : bestLevel(levels, rate, state);
    return { option: levels[withoutHaste(best, last, state.live)]!.whole, delay: 0 };
  }

  reset(): void {
    // All that it goes by is in the state.
  }
}

/** Score to be expected where `share` of the unreliable bytes come, 0 … 1. */
export function expectedScore(floor: number, whole: number, share: number): number {
  return floor + (whole - floor) * (1 - (1 - share) ** DIP_EXPONENT);
}

function levelsOf(options: readonly Option[]): Level[] {
  const levels: Level[] = [];
  for (const option of options) {
    const level = levels.at(-1);
    if (level?.representation === option.representation) levels[levels.length - 1] = { ...level, whole: option };
    else levels.push({ representation: option.representation, floor: option, whole: option });
  }
  return levels;
}

/** The level of the best score to be expected; the lowest where not even its reliable bytes come in time. */
function bestLevel(levels: readonly Level[], rate: number, { segmentDuration, live }: DecisionState): number {
  let best = 0;
  let bestScore = -Infinity;
  for (const [index, { representation, floor, whole }] of levels.entries()) {
    const capacity = (rate * segmentDuration) / 8;
    const keyFrameBytes = live?.keyFrameBytes[representation] ?? 0;
    const comesInTime = capacity >= floor.reliableBytes && (8 * keyFrameBytes) / rate <= (live?.slack ?? Infinity);
    if (index > 0 && !comesInTime) continue;
    const unreliableBytes = whole.bytes - whole.reliableBytes;
    const deliverable = Math.max(0, capacity - whole.reliableBytes);
    const share = deliverable >= unreliableBytes ? 1 : deliverable / unreliableBytes;
    const score = comesInTime ? expectedScore(floor.score, whole.score, share) : -Infinity;
    if (score > bestScore) {
      best = index;
      bestScore = score;
    }
  }
  return best;
}

/** `last`: -1 where all of today's levels lie above the last choice. */
function withoutHaste(best: number, last: number | undefined, live: LiveState | undefined): number {
  if (last === undefined || best <= last) return best;
  const isCalm = (live?.secondsWithoutUnsent ?? Infinity) >= CALM;
  return Math.max(0, isCalm ? last + 1 : last);
}
