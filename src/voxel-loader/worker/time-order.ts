import { totalBytes, type ByteRange } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import type { SegmentLayout, SegmentRequest } from '../types.js';

/** Seconds of a step, about those of a piece: its reliable bytes come before its first frames that may be missing. */
const STEP_SECONDS = 0.5;

/** Steps of one download: each takes two requests, and a server takes 64 at a time. */
const MAX_STEPS = 8;

/** Seconds by which frames may be shown after others that are decoded later. */
const REORDERING = 0.2;

/** What of a request the order goes by. */
export type TimedRequest = Pick<SegmentRequest, 'time' | 'byTimeUntil' | 'playFrom'>;

/**
 * Ranges of the file in the order in which they are shown, up to `byTimeUntil`, in steps of about half a second; the rest of the segment is in
 * none of them. Frames lie in the file in decode order, and those that may be missing are taken to be spread evenly: the `moof` that knows
 * better is still to come. With `playFrom` the first step reaches to that of its picture, and of what is shown before has only what later
 * frames need.
 */
export function timeSteps(map: SegmentLayout, request: TimedRequest): ByteRange[][] {
  const { ends, leftOut } = orderOf(map, request);
  const left = new IntervalSet(leftOut);
  return ends.flatMap((end, index) => {
    const step = left.gaps(index === 0 ? map.range.start : ends[index - 1]!, end);
    return totalBytes(step) > 0 ? [step] : [];
  });
}

/** Unreliable ranges that are in none of those steps because nothing from `playFrom` on needs them. */
export function leftToTheEnd(map: SegmentLayout, request: TimedRequest): readonly ByteRange[] {
  return orderOf(map, request).leftOut;
}

/** Positions of the file where steps end, and what they leave out. */
function orderOf(
  map: SegmentLayout,
  { time, byTimeUntil, playFrom }: TimedRequest,
): { readonly ends: readonly number[]; readonly leftOut: readonly ByteRange[] } {
  if (!time || byTimeUntil === undefined || !(byTimeUntil > time.start)) return { ends: [], leftOut: [] };
  const seconds = Math.min(byTimeUntil - time.start, time.duration);
  const count = Math.min(MAX_STEPS, Math.max(1, Math.round(seconds / STEP_SECONDS)));
  const starts = map.unreliable.map(({ start }) => start).sort((a, b) => a - b);
  const positionAt = (at: number): number => {
    const share = (at - time.start) / time.duration;
    return share < 1 ? (starts[Math.ceil(share * starts.length)] ?? map.range.end) : map.range.end;
  };
  const length = seconds / count;
  const ends = Array.from({ length: count }, (_, index) => positionAt(time.start + (index + 1) * length));
  const before = Math.floor(((playFrom ?? time.start) - REORDERING - time.start) / length);
  const target = Math.min(Math.max(0, before), count - 1);
  return { ends: ends.slice(target), leftOut: target > 0 ? unneededBefore(map, ends[target - 1]!) : [] };
}

/**
 * Unreliable ranges before that position of the file which no frame from there on needs. Where the index does not say what frames need,
 * each may need all before it.
 */
export function unneededBefore({ unreliable, needs }: SegmentLayout, position: number): ByteRange[] {
  if (!needs) return [];
  const isNeeded = unreliable.map(({ start }) => start >= position);
  // What a frame needs stands before it.
  for (let index = unreliable.length - 1; index >= 0; index--) {
    if (isNeeded[index]) for (const earlier of needs[index] ?? []) isNeeded[earlier] = true;
  }
  return unreliable.filter((_, index) => !isNeeded[index]);
}
