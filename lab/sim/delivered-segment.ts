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
 * positions in the order in which they were asked for, ascending in `start`.
 */
export function deliveredSegment(
  map: SegmentMap,
  sent: number,
  lost: readonly ByteRange[],
  order: readonly ByteRange[] = map.unreliable,
): DeliveredSegment {
  const received = new IntervalSet();
  const shift = map.range.start;
  for (const { start, end } of map.reliable) received.add(start - shift, end - shift);
  for (const { start, end } of inFile(order, complement(lost, sent))) received.add(start - shift, end - shift);
  return { map, received };
}

/** Where in the file these pieces of the ranges' bytes lie, both in order; what follows on in both is one range. */
function inFile(ranges: readonly ByteRange[], pieces: readonly ByteRange[]): ByteRange[] {
  const places: { start: number; end: number }[] = [];
  let before = 0;
  let next = 0;
  for (const range of ranges) {
    const after = before + range.end - range.start;
    const offset = range.start - before;
    for (let piece = pieces[next]; piece && piece.start < after; piece = pieces[++next]) {
      const start = offset + Math.max(before, piece.start);
      const end = offset + Math.min(after, piece.end);
      const last = places.at(-1);
      if (last?.end === start) last.end = end;
      else places.push({ start, end });
      if (piece.end > after) break;
    }
    before = after;
  }
  return places;
}

/** The score as the player estimates it. */
export function scoreOf(delivered: DeliveredSegment): number {
  const { map, received } = delivered;
  if (missingBytes(delivered) === 0) return map.steps.at(-1)!.score;
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
    const gap = Math.min(range.start, end);
    if (gap > at) rest.push({ start: at, end: gap });
    at = Math.max(at, range.end);
  }
  if (end > at) rest.push({ start: at, end });
  return rest;
}
