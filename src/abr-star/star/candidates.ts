import { withoutDominated } from '../options.js';
import type { Option } from '../types.js';

/** How many ways to download a segment in a representation a plan tries where the segment is not the next one. */
const TRIED_AHEAD = 3;

/** What is worth choosing of a segment. */
export interface Candidates {
  /** Ascending in bytes and in score, or, where thinned, by representation; never empty. */
  readonly options: readonly Option[];
  /** By representation: score of the reliable bytes alone. */
  readonly floors: readonly number[];
  /** The lowest and the highest. */
  readonly scores: readonly [number, number];
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
  const candidates = withoutDominated(worthwhile);
  return { options: candidates, floors, scores: [candidates[0]!.score, candidates.at(-1)!.score] };
}

/** A few of the candidates of each representation: the first, the last, and what lies between. */
export function thinned({ options, floors, scores }: Candidates): Candidates {
  const own = Array.from(floors, (): Option[] => []);
  for (const option of options) own[option.representation]!.push(option);
  const kept: Option[] = [];
  for (const some of own) {
    const step = Math.max(1, (some.length - 1) / (TRIED_AHEAD - 1));
    for (let place = 0; place < some.length; place += step) kept.push(some[Math.round(place)]!);
  }
  return { options: kept, floors, scores };
}
