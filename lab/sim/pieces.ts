import { PIECE_SECONDS } from '../../src/delivery/index.js';
import { totalBytes, type ByteRange } from '../../src/manifest/byte-range.js';
import type { SegmentMap } from '../../src/manifest/segment-map.js';

/** Pieces that are asked for by time before all others by worth. */
const PIECES_BY_TIME = 2;

/** A range that is asked for: where its last byte lies among all unreliable ones, in the order in which they come, and the piece that it is of. */
interface Place {
  readonly piece: number;
  readonly end: number;
}

/** A segment as it is asked for while somebody waits for it. Its reliable bytes come first: but for the key frame there are next to none. */
export interface CutSegment {
  /** Pieces, all as long. */
  readonly count: number;
  /** The unreliable ranges that are asked for, in the order in which they come. */
  readonly order: readonly ByteRange[];
  readonly places: readonly Place[];
}

/** So many pieces a segment of that many seconds has. */
export function pieceCount(segmentDuration: number): number {
  return Math.max(1, Math.round(segmentDuration / PIECE_SECONDS));
}

/**
 * The first `bytes` of a segment's unreliable part, cut. A range is a frame or a slice of one, and lies in the file in the order of decoding; they are
 * taken to be as long as each other, behind a key frame. `isByTime`: the ranges of the first pieces come in that order, before the others by worth.
 */
export function cutSegment(map: SegmentMap, bytes: number, count: number, isByTime: boolean): CutSegment {
  const { unreliable } = map;
  const inTime = unreliable.map((_, index) => index).sort((a, b) => unreliable[a]!.start - unreliable[b]!.start);
  const pieceOf = new Map(
    inTime.map((index, rank) => [index, Math.floor(((rank + 1) * count) / (unreliable.length + 1))]),
  );
  const asked = prefixOf(unreliable, bytes);
  const isEarly = (index: number) => isByTime && pieceOf.get(index)! < PIECES_BY_TIME;
  const early = inTime.filter((index) => index < asked && isEarly(index));
  const others = Array.from({ length: asked }, (_, index) => index).filter((index) => !isEarly(index));
  let end = 0;
  const coming = [...early, ...others];
  const places = coming.map((index) => {
    end += totalBytes([unreliable[index]!]);
    return { piece: pieceOf.get(index)!, end };
  });
  return { count, order: coming.map((index) => unreliable[index]!), places };
}

/** How many of the ranges these bytes are. */
function prefixOf(ranges: readonly ByteRange[], bytes: number): number {
  let left = bytes;
  let count = 0;
  while (left > 0 && count < ranges.length) left -= totalBytes([ranges[count++]!]);
  return count;
}

/** Bytes of each piece that are not among the first `sent` of the order. */
export function bytesLeft({ count, places }: CutSegment, sent: number): number[] {
  const left = new Array<number>(count).fill(0);
  let before = 0;
  for (const { piece, end } of places) {
    if (end > sent) left[piece]! += end - Math.max(before, sent);
    before = end;
  }
  return left;
}
