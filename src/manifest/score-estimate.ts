import type { ByteRange } from './byte-range.js';
import type { SegmentMap } from './segment-map.js';

/** How late the cost of several losses bends away from their sum; fitted to decodes of damaged segments. */
const BEND = 3;

/**
 * For each range of `map.unreliable`, the last one in the order that it waits for, by its place: itself, or one that it needs,
 * directly or not; -1 where it is complete. `isHere` says whether all bytes of the range at an index are here.
 */
export function lastMissing({ unreliable, needs }: SegmentMap, isHere: (index: number) => boolean): number[] {
  const last: number[] = [];
  for (let index = 0; index < unreliable.length; index++)
    last.push(isHere(index) ? lastOf(last, needs?.[index]) : index);
  return last;
}

/** The greatest of `last` at these places; -1 where there are none. */
export function lastOf(last: readonly number[], places: readonly number[] = []): number {
  let most = -1;
  for (const place of places) most = Math.max(most, last[place]!);
  return most;
}

/**
 * Estimates the score of a segment as delivered. `isHere` says whether every byte of a range of `map.unreliable` is
 * here; one that needs another counts as missing without it. A delivered prefix that ends on a step has exactly that step's measured score; anything else is an **estimate**,
 * never below the first step's score.
 */
export function estimateScore(map: SegmentMap, isHere: (range: ByteRange) => boolean): number {
  const { steps, unreliable, lossCosts } = map;
  const complete = lastMissing(map, (index) => isHere(unreliable[index]!)).map((last) => last < 0);
  if (lossCosts) return Math.max(estimateByCosts(map, complete, lossCosts), steps[0]!.score);
  // The whole segment's score less what each incomplete range costs, read off the measured curve.
  const rises = curveRises(map);
  const estimate = complete.reduce(
    (score, isComplete, index) => (isComplete ? score : score - rises[index]!),
    steps.at(-1)!.score,
  );
  return Math.max(estimate, steps[0]!.score);
}

/**
 * For each range of `map.unreliable`, the score that a segment would gain if that range were here as well, after all before it in
 * the order: what its loss alone was measured to cost, or, where that is not known and behind the last complete range, what
 * the curve rises there; and the same of all that is here and waits for this one last. 0 where it is here. `isHere` says
 * that of the range at an index.
 */
export function scoreGains(map: SegmentMap, isHere: (index: number) => boolean): number[] {
  const rises = curveRises(map);
  const last = lastMissing(map, isHere);
  const delivered = last.lastIndexOf(-1);
  const gains = rises.map(() => 0);
  last.forEach((waitedFor, index) => {
    if (waitedFor < 0) return;
    gains[waitedFor]! += (index < delivered ? map.lossCosts?.[index] : undefined) ?? rises[index]!;
  });
  return gains;
}

/**
 * The measured score of the first step that holds all complete ranges, less what those that are missing in it cost
 * together. docs/MANIFEST.md states the error.
 */
function estimateByCosts(
  { steps, unreliable, needs }: SegmentMap,
  complete: readonly boolean[],
  costs: readonly number[],
): number {
  const ends = prefixLengths(unreliable);
  const prefix = ends[complete.lastIndexOf(true) + 1]!;
  const step = steps.find(({ bytes }) => bytes >= prefix)!;
  const sum = complete.reduce(
    (cost, isComplete, index) => (isComplete || ends[index]! >= step.bytes ? cost : cost + costs[index]!),
    0,
  );
  // Costs of what is removed add up as they are: each was measured beside all that goes with it.
  return step.score - (needs ? sum : jointCost(sum, step.score - steps[0]!.score));
}

/**
 * What losses cost together that cost `sum` one by one: about that much while it is little, as errors add up, but never more
 * than `limit`, what the loss of everything costs.
 */
function jointCost(sum: number, limit: number): number {
  if (sum === 0 || limit <= 0) return 0;
  return sum / (1 + (sum / limit) ** BEND) ** (1 / BEND);
}

/** The rises of each map asked for: a player asks for those of a segment many times while it holds it. */
const knownRises = new WeakMap<SegmentMap, readonly number[]>();

function curveRises(map: SegmentMap): readonly number[] {
  const known = knownRises.get(map);
  if (known) return known;
  const rises = findCurveRises(map);
  knownRises.set(map, rises);
  return rises;
}

/**
 * For each range of `map.unreliable`, what the measured curve rises at its place in the order: the rise between the two
 * steps around it, shared out by bytes. The curve was measured with everything after a step missing, so it does not know
 * that a frame may be worth more to the frames that refer to it, or less when its own references are gone.
 */
function findCurveRises({ steps, unreliable }: SegmentMap): number[] {
  const ends = prefixLengths(unreliable);
  let step = 0;
  return unreliable.map((_, index) => {
    const [start, end] = [ends[index]!, ends[index + 1]!];
    // Before the first step nothing was measured; a loss there is worse than all that was.
    if (start < steps[0]!.bytes) return steps.at(-1)!.score - steps[0]!.score;
    while (steps[step]!.bytes <= start) step++;
    const [lower, upper] = [steps[step - 1]!, steps[step]!];
    return ((upper.score - lower.score) * (end - start)) / (upper.bytes - lower.bytes);
  });
}

/** Bytes in the first 0, 1, 2 … ranges. */
function prefixLengths(ranges: readonly ByteRange[]): number[] {
  const lengths = [0];
  for (const { start, end } of ranges) lengths.push(lengths.at(-1)! + end - start);
  return lengths;
}
