import type { ByteRange } from '../../src/manifest/byte-range.js';
import { IntervalSet } from '../../src/manifest/interval-set.js';
import { estimateScore } from '../../src/manifest/score-estimate.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';

/** A segment as it is in the buffer: the player's own view of it. */
export interface DeliveredSegment {
  readonly map: SegmentMap;
  /** Positions from the segment's first byte. */
  readonly received: IntervalSet;
}

/**
 * A segment of which the reliable bytes are here, and of the unreliable ones the first `sent` but for those that were `lost`:
 * positions in their order of importance, ascending.
 */
export function deliveredSegment(map: SegmentMap, sent: number, lost: readonly ByteRange[]): DeliveredSegment {
  const received = new IntervalSet();
  const shift = map.range.start;
  for (const { start, end } of map.reliable) received.add(start - shift, end - shift);
  const arrived = complement(lost, sent);
  let at = 0;
  let next = 0;
  for (const { start, end } of map.unreliable) {
    const after = at + end - start;
    const offset = start - shift - at;
    for (; next < arrived.length && arrived[next]!.start < after; next++) {
      const piece = arrived[next]!;
      received.add(offset + Math.max(at, piece.start), offset + Math.min(after, piece.end));
      if (piece.end > after) break;
    }
    at = after;
  }
  return { map, received };
}

/** The score as the player estimates it. */
export function scoreOf({ map, received }: DeliveredSegment): number {
  const shift = map.range.start;
  return estimateScore(map, ({ start, end }) => received.contains(start - shift, end - shift));
}

/** Bytes that are not here. */
export function missingBytes({ map, received }: DeliveredSegment): number {
  return map.range.end - map.range.start - received.size;
}

/** What of `[0, end)` is in none of the ranges, which ascend. */
function complement(ranges: readonly ByteRange[], end: number): ByteRange[] {
  const rest: ByteRange[] = [];
  let at = 0;
  for (const range of ranges) {
    if (range.start > at) rest.push({ start: at, end: Math.min(range.start, end) });
    at = Math.max(at, range.end);
  }
  if (end > at) rest.push({ start: at, end });
  return rest;
}
