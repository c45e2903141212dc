import { concatenate } from '../concatenate.js';
import type { Box, BoxReader } from './box-reader.js';
import { malformed, unsupported } from './errors.js';
import { SUBSAMPLE_BYTES, SUBSAMPLES_PRESENT } from './subsamples.js';

// Boxes of a `traf` that say something of each sample, written anew for those samples that stay: ISO/IEC 14496-12 §8.6.4 (`sdtp`), §8.7.8
// and §8.7.9 (`saiz`, `saio`), §8.9.2 (`sbgp`), ISO/IEC 23001-7 §7.2 (`senc`).

/** Flag of a `saiz` and a `saio`: the type of the auxiliary information, of 8 bytes, is there. */
const TYPE_PRESENT = 0x1;

/** A box with a header of 8 bytes. */
export function makeBox(type: string, ...payloads: readonly Uint8Array[]): Uint8Array {
  const fourcc = Uint8Array.from(type, (letter) => letter.charCodeAt(0));
  const size = payloads.reduce((sum, { length }) => sum + length, 8);
  return concatenate([u32(size), fourcc, ...payloads]);
}

/** Numbers as big-endian 32-bit fields. */
export function u32(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  values.forEach((value, index) => view.setUint32(4 * index, value));
  return bytes;
}

/** Writes a box of a `traf` without the samples that go; `sencOffset`: where the `senc` has its first entry, from the `moof`. */
export type WriteSampleBox = (box: Box, sencOffset: number) => Uint8Array;

/**
 * How the `boxes` of a `traf` are written whose samples stay or go. `ivBytes`: those of each initialization vector, where there is no
 * `saiz`. Throws `RepairError` (unsupported-stream, malformed).
 */
export function sampleBoxes(
  segment: Uint8Array,
  reader: BoxReader,
  boxes: readonly Box[],
  stays: readonly boolean[],
  ivBytes: number,
): WriteSampleBox {
  const [senc, saiz, saio, csgp] = ['senc', 'saiz', 'saio', 'csgp'].map((type) => {
    const found = boxes.filter((box) => box.type === type);
    if (found.length > 1) throw unsupported(`several ${type} boxes in a fragment`);
    return found[0];
  });
  if (csgp) throw unsupported('taking samples out of fragments with a csgp box');
  if (!senc && (ivBytes > 0 || saiz || saio)) throw unsupported('encrypted fragments without a senc box');
  const entries = senc ? readEntries(segment, reader, senc, saiz, stays.length, ivBytes) : [];
  const auxiliary = entries.filter((_, place) => stays[place]);
  /** The box with the first `kept` bytes of its payload and other ones behind. */
  const full = (box: Box, kept: number, ...payloads: readonly Uint8Array[]): Uint8Array => {
    if (box.payload + kept > box.end) throw malformed(`${box.type} box is too short`);
    return makeBox(box.type, segment.subarray(box.payload, box.payload + kept), ...payloads);
  };
  return (box, sencOffset) => {
    switch (box.type) {
      case 'senc':
        return full(box, 4, u32(auxiliary.length), ...auxiliary);
      case 'saiz': {
        const sizes = Uint8Array.from(auxiliary, ({ length }) => length);
        const isOne = sizes.every((size) => size === sizes[0]);
        const counted = [Uint8Array.of(isOne ? sizes[0]! : 0), u32(sizes.length)];
        return full(box, typedBytes(reader, box), ...counted, ...(isOne ? [] : [sizes]));
      }
      case 'saio': {
        const isWide = reader.u32(box, 0) >>> 24 === 1;
        return full(box, typedBytes(reader, box), u32(1, ...(isWide ? [0] : []), sencOffset));
      }
      case 'sbgp': {
        const fields = reader.u32(box, 0) >>> 24 === 1 ? 12 : 8;
        const runs = groupsOf(reader, box, fields, stays);
        return full(box, fields, u32(runs.length, ...runs.flat()));
      }
      case 'sdtp': {
        const values = segment.subarray(box.payload + 4, box.end);
        if (values.length !== stays.length) throw malformed(`sdtp box of ${values.length} samples for ${stays.length}`);
        return full(
          box,
          4,
          values.filter((_, place) => stays[place]),
        );
      }
      case 'subs':
        return new Uint8Array();
    }
    return segment.subarray(box.start, box.end);
  };
}

/** The runs of samples of one group, as lengths and groups, without the samples that go. */
function groupsOf(reader: BoxReader, box: Box, fields: number, stays: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = [];
  const count = reader.u32(box, fields);
  let place = 0;
  for (let run = 0; run < count; run++) {
    const length = reader.u32(box, fields + 4 + 8 * run);
    const group = reader.u32(box, fields + 8 + 8 * run);
    if (length > stays.length - place) throw malformed(`sbgp box of more than ${stays.length} samples`);
    const kept = stays.slice(place, (place += length)).filter(Boolean).length;
    const last = runs.at(-1);
    if (last?.[1] === group) last[0] += kept;
    else if (kept > 0) runs.push([kept, group]);
  }
  return runs;
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
