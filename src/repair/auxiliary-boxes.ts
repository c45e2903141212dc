import type { Box, BoxReader } from './box-reader.js';
import { malformed, unsupported } from './errors.js';
import { boxWriter, u32, type WriteAuxiliaryBox } from './sample-boxes.js';
import { SUBSAMPLE_BYTES, SUBSAMPLES_PRESENT } from './subsamples.js';

// Boxes of a `traf` that say how each sample is encrypted, written anew for those samples that stay: ISO/IEC 14496-12 §8.7.8 and §8.7.9
// (`saiz`, `saio`), ISO/IEC 23001-7 §7.2 (`senc`).

/** Flag of a `saiz` and a `saio`: the type of the auxiliary information, of 8 bytes, is there. */
const TYPE_PRESENT = 0x1;

/**
 * How these `boxes` of a `traf` are written whose samples stay or go. `ivBytes`: those of each initialization vector, where there is no
 * `saiz`. Throws `RepairError` (unsupported-stream, malformed).
 */
export function auxiliaryBoxes(
  segment: Uint8Array,
  reader: BoxReader,
  boxes: readonly Box[],
  stays: readonly boolean[],
  ivBytes: number,
): WriteAuxiliaryBox {
  const [senc, saiz, saio] = ['senc', 'saiz', 'saio'].map((type) => {
    const found = boxes.filter((box) => box.type === type);
    if (found.length > 1) throw unsupported(`several ${type} boxes in a fragment`);
    return found[0];
  });
  if (!senc && (ivBytes > 0 || saiz || saio)) throw unsupported('encrypted fragments without a senc box');
  const entries = senc ? readEntries(segment, reader, senc, saiz, stays.length, ivBytes) : [];
  const auxiliary = entries.filter((_, place) => stays[place]);
  const write = boxWriter(segment);
  return (box, sencOffset) => {
    switch (box.type) {
      case 'senc':
        return write(box, 4, u32(auxiliary.length), ...auxiliary);
      case 'saiz': {
        const sizes = Uint8Array.from(auxiliary, ({ length }) => length);
        const isOne = sizes.every((size) => size === sizes[0]);
        const counted = [Uint8Array.of(isOne ? sizes[0]! : 0), u32(sizes.length)];
        return write(box, typedBytes(reader, box), ...counted, ...(isOne ? [] : [sizes]));
      }
      case 'saio': {
        const isWide = reader.u32(box, 0) >>> 24 === 1;
        return write(box, typedBytes(reader, box), u32(1, ...(isWide ? [0] : []), sencOffset));
      }
    }
    return undefined;
  };
}

/** What the `senc` has of each sample: as the `saiz` cuts it, which knows of groups with another key. */
function readEntries(
  segment: Uint8Array,
  reader: BoxReader,
  senc: Box,
  saiz: Box | undefined,
  count: number,
  ivBytes: number,
): Uint8Array[] {
  const found = reader.u32(senc, 4);
  if (found !== count) throw malformed(`senc box of ${found} samples for ${count}`);
  const sizes = saiz && readSizes(segment, reader, saiz, count);
  const hasMaps = (reader.u32(senc, 0) & SUBSAMPLES_PRESENT) !== 0;
  let at = 8;
  const entries: Uint8Array[] = [];
  for (let place = 0; place < count; place++) {
    const map = sizes || !hasMaps ? 0 : 2 + SUBSAMPLE_BYTES * reader.u16(senc, at + ivBytes);
    const start = senc.payload + at;
    at += sizes?.[place] ?? ivBytes + map;
    if (senc.payload + at > senc.end) throw malformed('senc box is too short');
    entries.push(segment.subarray(start, senc.payload + at));
  }
  if (senc.payload + at !== senc.end) throw malformed('senc box with bytes that belong to no sample');
  return entries;
}

function readSizes(segment: Uint8Array, reader: BoxReader, saiz: Box, count: number): Uint8Array {
  const at = typedBytes(reader, saiz);
  const found = reader.u32(saiz, at + 1);
  if (found !== count) throw malformed(`saiz box of ${found} samples for ${count}`);
  const size = segment[saiz.payload + at]!;
  if (size > 0) return new Uint8Array(count).fill(size);
  const start = saiz.payload + at + 5;
  if (start + count > saiz.end) throw malformed('saiz box is too short');
  return segment.subarray(start, start + count);
}

/** Bytes of a `saiz` or `saio` before its numbers. */
function typedBytes(reader: BoxReader, box: Box): number {
  return reader.u32(box, 0) & TYPE_PRESENT ? 12 : 4;
}
