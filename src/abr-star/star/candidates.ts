import { merged } from '../options.js';
import type { Option } from '../types.js';

/** What is worth choosing of a segment. */
export interface Candidates {
  /** Ascending in bytes and in score, or, where thinned, by representation; never empty. */
  readonly options: readonly Option[];
  /** Score of the reliable bytes alone, by representation. */
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
  let candidates: Option[] = [];
  let wholeBelow = -Infinity;
  for (let place = 0; place < options.length;) {
    const { representation, score: floor } = options[place]!;
    floors[representation] = floor;
    const worthwhile: Option[] = [];
    let whole = floor;
    // Options lie apart in memory: each is looked at once.
    for (let option; (option = options[place]) && option.representation === representation; place++) {
      whole = option.score;
      if (whole >= wholeBelow) worthwhile.push(option);
    }
    wholeBelow = whole;
    if (worthwhile.length > 0) candidates = merged(candidates, worthwhile);
  }
  return { options: candidates, floors, scores: [candidates[0]!.score, candidates.at(-1)!.score] };
}

/** The first and the last of each representation: where a segment is not the next one, a plan tries no more. */
export function thinned({ options, floors, scores }: Candidates): Candidates {
  const firsts: Option[] = [];
  const lasts: Option[] = [];
  for (const option of options) {
    firsts[option.representation] ??= option;
    lasts[option.representation] = option;
  }
  const kept: Option[] = [];
  for (const [representation, first] of firsts.entries()) {
    // A representation may have none.
    if ((first as Option | undefined) === undefined) continue;
    const last = lasts[representation]!;
    kept.push(first);
    if (last !== first) kept.push(last);
  }
  return { options: kept, floors, scores };
}
