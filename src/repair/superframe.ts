import { malformed, unsupported } from './errors.js';
import type { ByteRange } from './missing.js';

// Superframes of VP9 (VP9 bitstream specification, Annex B): frames of a sample, and an index of their sizes behind.

const MARKER = 0xc0;
const MARKER_BITS = 0xe0;
const MOST_FRAMES = 8;

/** How long the index is that the sample's last byte announces; 0: it has none. */
export function indexBytes(sample: Uint8Array): number {
  const last = sample.at(-1) ?? 0;
  const size = 2 + ((last & 7) + 1) * width(last);
  return (last & MARKER_BITS) === MARKER && size <= sample.length ? size : 0;
}

/** Where the frames of a sample lie, in decode order; all of it where it has no index. Throws `RepairError` (malformed). */
export function superframeRanges(sample: Uint8Array): ByteRange[] {
  const index = sample.length - indexBytes(sample);
  const marker = sample.at(-1)!;
  if (index === sample.length || sample[index] !== marker) return [{ start: 0, end: sample.length }];
  const ranges: ByteRange[] = [];
  let start = 0;
  for (let at = index + 1; at < sample.length - 1; at += width(marker)) {
    const size = sample.subarray(at, at + width(marker)).reduceRight((value, byte) => value * 256 + byte, 0);
    if (size === 0 || size > index - start) throw malformed(`superframe with a frame of ${size} bytes`);
    ranges.push({ start, end: start + size });
    start += size;
  }
  if (start !== index) throw malformed(`superframe with ${index - start} bytes that belong to no frame`);
  return ranges;
}

/** The index that stands behind these frames in one sample; empty for one frame. Throws `RepairError` (unsupported-stream) for more than an index can have. */
export function superframeIndex(frames: readonly Uint8Array[]): Uint8Array {
  if (frames.length < 2) return new Uint8Array();
  if (frames.length > MOST_FRAMES)
    throw unsupported(`${frames.length} frames in a superframe, more than ${MOST_FRAMES}`);
  const largest = Math.max(...frames.map(({ length }) => length));
  const bytes = Math.ceil((32 - Math.clz32(largest)) / 8);
  const marker = MARKER | ((bytes - 1) << 3) | (frames.length - 1);
  const sizes = frames.flatMap(({ length }) =>
    Array.from({ length: bytes }, (_, place) => (length >>> (8 * place)) & 0xff),
  );
  return Uint8Array.of(marker, ...sizes, marker);
}

/** Bytes of each size. */
function width(marker: number): number {
  return ((marker >> 3) & 3) + 1;
}
