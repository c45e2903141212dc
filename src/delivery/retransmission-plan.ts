import { totalBytes, type ByteRange } from '../manifest/byte-range.js';
import type { IntervalSet } from '../manifest/interval-set.js';
import { scoreGains } from '../manifest/score-estimate.js';
import type { SegmentMap } from '../manifest/segment-map.js';

/** A delivered segment with gaps: bytes that were lost, or not asked for. */
export interface PartialSegment {
  readonly map: SegmentMap;
  /** Positions from the segment's first byte. */
  readonly received: IntervalSet;
}

/** What is missing of one slice. */
interface Gaps {
  /** Positions in the media file. */
  readonly ranges: readonly ByteRange[];
  readonly scorePerByte: number;
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
  let left = bytes;
  // The sort is stable: of equals the earlier segment's come first.
  const missing = segments
    .flatMap((segment) => {
      const least = leastWorth * averageWorth(segment.map);
      return gapsOf(segment).flatMap((gaps) => (gaps.scorePerByte < least ? [] : { segment, ...gaps }));
    })
    .sort((a, b) => b.scorePerByte - a.scorePerByte);
  for (const { segment, ranges } of missing) {
    for (const { start, end } of ranges) {
      const length = Math.min(end - start, Math.floor(left));
      if (length <= 0) return plan;
      plan.set(segment, [...(plan.get(segment) ?? []), { start, end: start + length }]);
      left -= length;
    }
  }
  return plan;
}

/** Score per byte of a segment's unreliable part. */
function averageWorth({ steps, unreliable }: SegmentMap): number {
  return (steps.at(-1)!.score - steps[0]!.score) / Math.max(1, totalBytes(unreliable));
}

/** By what has been received: a plan is made many times over while nothing more arrives. */
const known = new WeakMap<IntervalSet, { readonly size: number; readonly gaps: readonly Gaps[] }>();

/** The gaps that cost score, most score per byte first. */
function gapsOf({ map, received }: PartialSegment): readonly Gaps[] {
  const before = known.get(received);
  if (before?.size === received.size) return before.gaps;
  const gaps = findGaps({ map, received }).sort((a, b) => b.scorePerByte - a.scorePerByte);
  known.set(received, { size: received.size, gaps });
  return gaps;
}

function findGaps({ map, received }: PartialSegment): Gaps[] {
  const shift = map.range.start;
  const gains = scoreGains(map, ({ start, end }) => received.contains(start - shift, end - shift));
  return map.unreliable.flatMap(({ start, end }, index) => {
    const gain = gains[index]!;
    if (gain <= 0) return [];
    const gaps = received.gaps(start - shift, end - shift);
    const ranges = gaps.map((gap) => ({ start: gap.start + shift, end: gap.end + shift }));
    return { ranges, scorePerByte: gain / totalBytes(ranges) };
  });
}
