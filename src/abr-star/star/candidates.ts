import { withoutDominated } from '../options.js';
import type { Option } from '../types.js';

/** How many ways to download a segment a plan tries where the segment is not the next one: more change no first step. */
const TRIED_AHEAD = 8;

/** What is worth choosing of a segment. */
export interface Candidates {
  /** Ascending in bytes and in score; never empty. */
  readonly options: readonly Option[];
  /** By representation: score of the reliable bytes alone. */
  readonly floors: readonly number[];
}

/**
 * A part of a segment that shows less than the whole of the next lower representation is left out, however few bytes it takes:
 * scores flatter what stands still.
 */
export function candidatesOf(options: readonly Option[]): Candidates {
  const floors: number[] = [];
  const worthwhile: Option[] = [];
  let last: Option | undefined;
  let wholeBelow = -Infinity;
  for (const option of options) {
    const { representation, score } = option;
    if (representation !== last?.representation) {
      floors[representation] = score;
      wholeBelow = last?.score ?? -Infinity;
    }
    if (score >= wholeBelow) worthwhile.push(option);
    last = option;
  }
  return { options: withoutDominated(worthwhile), floors };
}

/** A few of the candidates, evenly over the scores that they reach: the first, the last, and what lies between. */
export function thinned({ options, floors }: Candidates): Candidates {
  if (options.length <= TRIED_AHEAD) return { options, floors };
  const last = options.at(-1)!;
  const lowest = options[0]!.score;
  const step = (last.score - lowest) / (TRIED_AHEAD - 1);
  const kept: Option[] = [];
  for (const option of options) {
    if (option !== last && option.score >= lowest + kept.length * step) kept.push(option);
  }
  kept.push(last);
  return { options: kept, floors };
}
