import { shifted, totalBytes, type ByteRange } from '../manifest/byte-range.js';
import type { IntervalSet } from '../manifest/interval-set.js';
import { lastMissing, lastOf, scoreGains } from '../manifest/score-estimate.js';
import type { SegmentMap } from '../manifest/segment-map.js';

/** A delivered segment with gaps: bytes that were lost, or not asked for. */
export interface PartialSegment {
  readonly map: SegmentMap;
  /** Positions from the segment's first byte. */
  readonly received: IntervalSet;
}

/** A slice of which something is missing. */
interface PartialSlice {
  /** Position in the media file. */
  readonly range: ByteRange;
  /** What each missing byte is worth. */
  readonly scorePerByte: number;
}

/** The slices of one segment that are not yet planned: from `next` on. */
interface Queue<Segment> {
  readonly segment: Segment;
  readonly slices: readonly PartialSlice[];
  next: number;
}

/** How much to fetch. */
export interface RetransmissionLimits {
  readonly bytes: number;
  /** How many times as much as an average byte of its segment's unreliable part each byte must be worth. Default 0. */
  readonly leastWorth?: number;
}

/**
 * Selective retransmission (thesis §6.2): what of these segments to fetch within these limits, lost or skipped alike, most
 * score per byte first, in ranges of the media file. What would not raise the score is left alone. The last range may
 * end inside a slice: the rest of that comes first next time.
 */
export function planRetransmission<Segment extends PartialSegment>(
  segments: readonly Segment[],
  { bytes, leastWorth = 0 }: RetransmissionLimits,
): Map<Segment, ByteRange[]> {
  const plan = new Map<Segment, ByteRange[]>();
  let left = Math.floor(bytes);
  if (left <= 0) return plan;
  const queues = segments.map((segment) => ({ segment, slices: slicesWorth(segment, leastWorth), next: 0 }));
  for (let queue = mostValuable(queues); queue; queue = mostValuable(queues)) {
    const { segment } = queue;
    const ranges = plan.get(segment) ?? [];
    plan.set(segment, ranges);
    for (const { start, end } of gapsIn(segment, queue.slices[queue.next++]!.range)) {
      const length = Math.min(end - start, left);
      ranges.push({ start, end: start + length });
      left -= length;
      if (left === 0) return plan;
    }
  }
  return plan;
}

/** The queue whose next slice has the most score per byte: of equals the earlier segment's. */
function mostValuable<Segment>(queues: readonly Queue<Segment>[]): Queue<Segment> | undefined {
  let best: Queue<Segment> | undefined;
  let most = 0;
  for (const queue of queues) {
    const scorePerByte = queue.slices[queue.next]?.scorePerByte ?? 0;
    if (scorePerByte <= most) continue;
    best = queue;
    most = scorePerByte;
  }
  return best;
}

/** What is missing of this range of the media file. */
function gapsIn({ map, received }: PartialSegment, { start, end }: ByteRange): ByteRange[] {
  const shift = map.range.start;
  const gaps = received.gaps(start - shift, end - shift);
  return shift === 0 ? gaps : gaps.map((gap) => shifted(gap, shift));
}

/** The slices worth fetching, most score per byte first: `leastWorth` as in `RetransmissionLimits`. */
function slicesWorth(segment: PartialSegment, leastWorth: number): readonly PartialSlice[] {
  const slices = partialSlices(segment);
  if (leastWorth === 0) return slices;
  const { steps, unreliable } = segment.map;
  const average = (steps.at(-1)!.score - steps[0]!.score) / Math.max(1, totalBytes(unreliable));
  return slices.filter(({ scorePerByte }) => scorePerByte >= leastWorth * average);
}

/** Slices by what has been received: a plan is made many times over while nothing more arrives. */
const known = new WeakMap<IntervalSet, { readonly size: number; readonly slices: readonly PartialSlice[] }>();

/** The slices whose gaps cost score, most score per byte first. */
function partialSlices(segment: PartialSegment): readonly PartialSlice[] {
  const { received } = segment;
  const before = known.get(received);
  if (before?.size === received.size) return before.slices;
  const slices = findPartialSlices(segment).sort((a, b) => b.scorePerByte - a.scorePerByte);
  known.set(received, { size: received.size, slices });
  return slices;
}

function findPartialSlices(segment: PartialSegment): PartialSlice[] {
  const { unreliable } = segment.map;
  const missing = unreliable.map((range) => totalBytes(gapsIn(segment, range)));
  const worth = scoresPerByte(segment.map, missing);
  return unreliable
    .map((range, index) => ({ range, scorePerByte: worth[index]! }))
    .filter(({ scorePerByte }) => scorePerByte > 0);
}

/**
 * What each missing byte of each range of `map.unreliable` is worth. Where a range makes more of the one that it needs, both are
 * worth what they are together; none is worth more than what it needs, so that this comes first.
 */
function scoresPerByte(map: SegmentMap, missing: readonly number[]): number[] {
  const isHere = (index: number): boolean => missing[index] === 0;
  const gains = scoreGains(map, isHere);
  const { needs } = map;
  const worth = (index: number): number => gains[index]! / (bytes[index]! || 1);
  const bytes = [...missing];
  if (!needs) return gains.map((_, index) => worth(index));
  const last = lastMissing(map, isHere);
  for (let index = bytes.length - 1; index >= 0; index--) {
    const need = lastOf(last, needs[index]);
    if (isHere(index) || need < 0 || worth(index) <= worth(need)) continue;
    gains[need]! += gains[index]!;
    bytes[need]! += bytes[index]!;
  }
  const least: number[] = [];
  needs.forEach((of, index) => {
    const most = isHere(index) ? Infinity : worth(index);
    least.push(of.reduce((lowest, need) => Math.min(lowest, least[need]!), most));
  });
  return least.map((value, index) => (isHere(index) ? 0 : value));
}
