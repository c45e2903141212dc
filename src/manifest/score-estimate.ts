import type { ByteRange } from './byte-range.js';
import type { SegmentMap } from './segment-map.js';

/**
 * Estimates the score of a segment as delivered. `isComplete` says whether every byte of a range of `map.unreliable` is
 * here. A delivered prefix that ends on a step has exactly that step's measured score; anything else is an **estimate**,
 * never below the first step's score.
 */
export function estimateScore(map: SegmentMap, isComplete: (range: ByteRange) => boolean): number {
  const { steps, unreliable, lossCosts } = map;
  const complete = unreliable.map(isComplete);
  const estimate = lossCosts ? estimateByCosts(map, complete, lossCosts) : estimateByCurve(map, complete);
  return Math.max(estimate, steps[0]!.score);
}

/**
 * The measured score of the prefix that ends with the last complete range, less what each loss in it alone was measured to
 * cost. docs/MANIFEST.md states the error.
 */
function estimateByCosts(
  { steps, unreliable }: SegmentMap,
  complete: readonly boolean[],
  costs: readonly number[],
): number {
  const ends = prefixLengths(unreliable);
  const prefix = ends[complete.lastIndexOf(true) + 1]!;
  const step = steps.findLast(({ bytes }) => bytes <= prefix) ?? steps[0]!;
  return complete.reduce(
    (score, isHere, index) => (isHere || ends[index]! >= step.bytes ? score : score - costs[index]!),
    step.score,
  );
}

/**
 * The whole segment's score less what each incomplete range costs, read off the measured curve at its place in the order:
 * the rise between the two steps around it, shared out by bytes. The curve was measured with everything after a step
 * missing, so it does not know that a frame may be worth more to the frames that refer to it, or less when its own
 * references are gone.
 */
function estimateByCurve({ steps, unreliable }: SegmentMap, complete: readonly boolean[]): number {
  const ends = prefixLengths(unreliable);
  let score = steps.at(-1)!.score;
  let step = 0;
  for (const [index, isHere] of complete.entries()) {
    const [start, end] = [ends[index]!, ends[index + 1]!];
    // Before the first step nothing was measured; a loss there is worse than all that was.
    if (start < steps[0]!.bytes && !isHere) return steps[0]!.score;
    while (steps[step]!.bytes <= start) step++;
    if (step > 0 && !isHere) {
      const [lower, upper] = [steps[step - 1]!, steps[step]!];
      score -= ((upper.score - lower.score) * (end - start)) / (upper.bytes - lower.bytes);
    }
  }
  return score;
}

/** Bytes in the first 0, 1, 2 … ranges. */
function prefixLengths(ranges: readonly ByteRange[]): number[] {
  const lengths = [0];
  for (const { start, end } of ranges) lengths.push(lengths.at(-1)! + end - start);
  return lengths;
}
