import { fragmentReaders, type Track } from './codecs.js';
import { parseFragments } from './fmp4.js';
import { allExcept, type ByteRange } from './missing.js';

/** The bytes of a complete segment without which it can still be repaired, ascending. The segment is one that can be repaired. */
export function unreliableRanges(track: Track, segment: Uint8Array): ByteRange[] {
  const readerOf = fragmentReaders(track, segment, allExcept([], segment.length));
  return parseFragments(segment)
    .flatMap((fragment) => {
      const read = readerOf(fragment);
      return fragment.samples.flatMap(({ offset, size, sizeField }) => {
        const frames = read(offset, offset + size);
        return sizeField === undefined ? [] : frames;
      });
    })
    .flatMap(({ parts }) => parts.map(({ reliableEnd, end }) => ({ start: reliableEnd, end })))
    .filter(({ start, end }) => start < end);
}
