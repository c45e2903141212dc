import type { Codec } from './codec.js';
import { parseFragments } from './fmp4.js';
import { allExcept, type ByteRange } from './missing.js';

/** The bytes of a complete segment without which it can still be repaired, ascending. The segment is one that can be repaired. */
export function unreliableRanges(codec: Codec, segment: Uint8Array): ByteRange[] {
  const read = codec.reader(segment, allExcept([], segment.length));
  return parseFragments(segment)
    .flatMap(({ samples }) => samples.flatMap(({ offset, size }) => read(offset, offset + size)))
    .flatMap(({ parts }) => parts.map(({ reliableEnd, end }) => ({ start: reliableEnd, end })))
    .filter(({ start, end }) => start < end);
}
