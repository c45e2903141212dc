import { pieceLengths } from '../../delivery/begin.js';
import { totalBytes, type ByteRange } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import type { SegmentLayout, SegmentRequest } from '../types.js';

/** Seconds of a step, about those of a piece: its reliable bytes come before its first frames that may be missing. */
const STEP_SECONDS = 0.5;

/** Steps of one download: each takes two requests, and a server takes 64 at a time. */
const MAX_STEPS = 8;

/** Seconds by which frames may be shown after others that are decoded later. */
const REORDERING = 0.2;

/** Share of the score of what is shown that frames may cost, by the index, that do not come before it. */
const MOST_LOSS = 0.01;

/** What of a request the order goes by. */
export type TimedRequest = Pick<SegmentRequest, 'time' | 'byTimeUntil' | 'playFrom'>;

/**
 * Ranges of the file in the order in which they are shown, up to `byTimeUntil`, in steps of about half a second; the rest of the segment is in
 * none of them. Frames lie in the file in decode order, and those that may be missing are taken to be spread evenly: the `moof` that knows
 * better is still to come. With `playFrom` the first step has its picture and those right behind it, and of what is shown before only what those need.
 */
export function timeSteps(map: SegmentLayout, request: TimedRequest): ByteRange[][] {
  const { ends, leftOut } = orderOf(map, request);
  const left = new IntervalSet(leftOut);
  return ends.flatMap((end, index) => {
    const step = left.gaps(index === 0 ? map.range.start : ends[index - 1]!, end);
    return totalBytes(step) > 0 ? [step] : [];
  });
}

/** Unreliable ranges that are in none of those steps because what is shown from `playFrom` on does without them. */
export function leftToTheEnd(map: SegmentLayout, request: TimedRequest): readonly ByteRange[] {
  return orderOf(map, request).leftOut;
}

/** Positions of the file where steps end, and what they leave out. */
function orderOf(
  map: SegmentLayout,
  { time, byTimeUntil, playFrom }: TimedRequest,
): { readonly ends: readonly number[]; readonly leftOut: readonly ByteRange[] } {
  if (!time || byTimeUntil === undefined || !(byTimeUntil > time.start)) return { ends: [], leftOut: [] };
  const starts = map.unreliable.map(({ start }) => start).sort((a, b) => a - b);
  const placeAt = (seconds: number): number => (Math.max(0, seconds) / time.duration) * starts.length;
  const until = Math.min(byTimeUntil - time.start, time.duration);
  const soughtAt = playFrom === undefined ? 0 : playFrom - time.start;
  const first = soughtAt > 0 ? Math.min(until, pieceLengths(soughtAt).first + REORDERING) : 0;
  const ends = [...(first > 0 ? [first] : []), ...stepEnds(first, until)].map((end) =>
    end < time.duration ? (starts[Math.ceil(placeAt(end))] ?? map.range.end) : map.range.end,
  );
  const before = starts[Math.floor(placeAt(soughtAt - REORDERING))] ?? map.range.end;
  const most = MOST_LOSS * (1 - soughtAt / time.duration);
  return { ends, leftOut: first > 0 ? unneededBefore(map, before, most) : [] };
}

/** Seconds at which steps end that divide what is between. */
function stepEnds(from: number, until: number): number[] {
  const count = Math.min(from > 0 ? MAX_STEPS - 1 : MAX_STEPS, Math.round((until - from) / STEP_SECONDS));
  const steps = from > 0 ? count : Math.max(1, count);
  return Array.from({ length: steps }, (_, index) => from + ((index + 1) * (until - from)) / steps);
}

/**
 * Unreliable ranges before that position of the file which no frame from there on needs. Where the index does not say what frames need, those
 * that cost least for their bytes, as long as all that they cost together is no more than `most`, a share of the segment's score.
 */
export function unneededBefore(map: SegmentLayout, position: number, most: number): ByteRange[] {
  const { unreliable, needs } = map;
  if (!needs) return cheapBefore(map, position, most);
  const isNeeded = unreliable.map(({ start }) => start >= position);
  // What a frame needs stands before it.
  for (let index = unreliable.length - 1; index >= 0; index--) {
    if (isNeeded[index]) for (const earlier of needs[index] ?? []) isNeeded[earlier] = true;
  }
  return unreliable.filter((_, index) => !isNeeded[index]);
}

function cheapBefore({ unreliable, lossCosts, steps }: SegmentLayout, position: number, most: number): ByteRange[] {
  if (!lossCosts) return [];
  let left = most * (steps?.at(-1)?.score ?? 0);
  return unreliable
    .map((range, index) => ({ range, cost: lossCosts[index]! }))
    .filter(({ range }) => range.start < position)
    .sort((a, b) => a.cost / totalBytes([a.range]) - b.cost / totalBytes([b.range]))
    .filter(({ cost }) => {
      if (cost > left) return false;
      left -= cost;
      return true;
    })
    .map(({ range }) => range);
}
