import type { ByteRange } from './byte-range.js';
import type { SegmentMap } from './segment-map.js';

/**
 * Estimates the score of a segment as delivered: the whole segment's score less what each incomplete range costs, never
 * below the first step's score. `isComplete` says whether every byte of a range of `map.unreliable` is here.
 *
 * What a range costs is read off the measured curve at its place in the order: the rise between the two steps around it,
 * shared out by bytes. So a delivered prefix that ends on a step has exactly that step's measured score, and one lost
 * slice of many costs only its own share. For a loss in the middle of the order it is an **estimate**: the curve was
 * measured with everything after a step missing, so it does not know that a frame may be worth more to the frames that
 * refer to it, or less when its own references are gone.
 */
export function estimateScore(map: SegmentMap, isComplete: (range: ByteRange) => boolean): number {
  const { steps, unreliable } = map;
  const floor = steps[0]!;
  let score = steps.at(-1)!.score;
  let step = 0;
  let position = 0;
  for (const range of unreliable) {
    const bytes = range.end - range.start;
    const complete = isComplete(range);
    // Before the first step nothing was measured; a loss there is worse than all that was.
    if (position < floor.bytes && !complete) return floor.score;
    while (steps[step]!.bytes <= position) step++;
    if (step > 0 && !complete) {
      const [lower, upper] = [steps[step - 1]!, steps[step]!];
      score -= ((upper.score - lower.score) * bytes) / (upper.bytes - lower.bytes);
    }
    position += bytes;
  }
  return Math.max(score, floor.score);
}
