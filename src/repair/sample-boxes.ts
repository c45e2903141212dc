import { concatenate } from '../concatenate.js';
import type { Box, BoxReader } from './box-reader.js';
import { malformed, unsupported } from './errors.js';

// Boxes of a `traf` that say something of each sample, written anew for those samples that stay: ISO/IEC 14496-12 §8.6.4 (`sdtp`), §8.9.2
// (`sbgp`). Those that encryption needs are in auxiliary-boxes.ts.

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

/** Writes boxes of a segment with the first `kept` bytes of their payload and other ones behind. They throw `RepairError` (malformed). */
export const boxWriter =
  (segment: Uint8Array) =>
  ({ type, payload, end }: Box, kept: number, ...payloads: readonly Uint8Array[]): Uint8Array => {
    if (payload + kept > end) throw malformed(`${type} box is too short`);
    return makeBox(type, segment.subarray(payload, payload + kept), ...payloads);
  };

/** Writes a box of a `traf` without the samples that go; `sencOffset`: where the `senc` has its first entry, from the `moof`. */
export type WriteSampleBox = (box: Box, sencOffset: number) => Uint8Array;

/** The same of the boxes that encryption needs; undefined for all others. */
export type WriteAuxiliaryBox = (...box: Parameters<WriteSampleBox>) => Uint8Array | undefined;

/**
 * How the `boxes` of a `traf` are written whose samples stay or go; without `writeAuxiliary` there is no encryption.
 * Throws `RepairError` (unsupported-stream, malformed).
 */
export function sampleBoxes(
  segment: Uint8Array,
  reader: BoxReader,
  boxes: readonly Box[],
  stays: readonly boolean[],
  writeAuxiliary: WriteAuxiliaryBox | undefined,
): WriteSampleBox {
  const has = (type: string): boolean => boxes.some((box) => box.type === type);
  if (has('csgp')) throw unsupported('taking samples out of fragments with a csgp box');
  if (!writeAuxiliary && ['senc', 'saiz', 'saio'].some(has)) throw unsupported('encrypted fragments');
  const write = boxWriter(segment);
  return (box, sencOffset) => {
    switch (box.type) {
      case 'sbgp': {
        const fields = reader.u32(box, 0) >>> 24 === 1 ? 12 : 8;
        const runs = groupsOf(reader, box, fields, stays);
        return write(box, fields, u32(runs.length, ...runs.flat()));
      }
      case 'sdtp': {
        const values = segment.subarray(box.payload + 4, box.end);
        if (values.length !== stays.length) throw malformed(`sdtp box of ${values.length} samples for ${stays.length}`);
        const kept = values.filter((_, place) => stays[place]);
        return write(box, 4, kept);
      }
      case 'subs':
        return new Uint8Array();
    }
    return writeAuxiliary?.(box, sencOffset) ?? segment.subarray(box.start, box.end);
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
