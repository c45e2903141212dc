import { withoutDominated } from './options.js';
import type { Option } from './types.js';

/** How many ways to download a segment a plan tries where the segment is not the next one: more change no first step. */
const TRIED_AHEAD = 8;

/** An option, and what is left of it when its download ends early. */
export interface Candidate {
  readonly option: Option;
  readonly bytes: number;
  readonly reliableBytes: number;
  readonly score: number;
  /** Score of the reliable bytes alone. */
  readonly floor: number;
}

/** What is worth choosing of a segment, ascending in bytes and in score. */
export function candidatesOf(options: readonly Option[]): Candidate[] {
  const floors: number[] = [];
  for (const { representation, score } of options) floors[representation] ??= score;
  return withoutDominated(options).map((option) => {
    const { bytes, reliableBytes, score, representation } = option;
    return { option, bytes, reliableBytes, score, floor: Math.min(score, floors[representation]!) };
  });
}

/** A few of `candidates`, evenly over the scores that they reach: the first, the last, and what lies between. */
export function thinned(candidates: readonly Candidate[]): readonly Candidate[] {
  if (candidates.length <= TRIED_AHEAD) return candidates;
  const last = candidates.at(-1)!;
  const lowest = candidates[0]!.score;
  const step = (last.score - lowest) / (TRIED_AHEAD - 1);
  const kept: Candidate[] = [];
  for (const candidate of candidates.slice(0, -1)) {
    if (candidate.score >= lowest + kept.length * step) kept.push(candidate);
  }
  return [...kept, last];
}
