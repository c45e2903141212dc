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

interface MissingSlice<Segment> {
  readonly segment: Segment;
  /** What is missing of one slice, as positions in the media file. */
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
    .flatMap((segment) => findMissing(segment, leastWorth))
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

function findMissing<Segment extends PartialSegment>(segment: Segment, leastWorth: number): MissingSlice<Segment>[] {
  const { map, received } = segment;
  const shift = map.range.start;
  const gains = scoreGains(map, ({ start, end }) => received.contains(start - shift, end - shift));
  const average = (map.steps.at(-1)!.score - map.steps[0]!.score) / Math.max(1, totalBytes(map.unreliable));
  return map.unreliable.flatMap(({ start, end }, index) => {
    const gain = gains[index]!;
    if (gain <= 0) return [];
    const gaps = received.gaps(start - shift, end - shift);
    const ranges = gaps.map((gap) => ({ start: gap.start + shift, end: gap.end + shift }));
    const scorePerByte = gain / totalBytes(ranges);
    return scorePerByte < leastWorth * average ? [] : [{ segment, ranges, scorePerByte }];
  });
}
