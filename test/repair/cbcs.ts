import { createCipheriv } from 'node:crypto';
import { BoxReader, type Box } from '../../src/repair/box-reader.js';
import type { Codec } from '../../src/repair/codec.js';
import { readTrack } from '../../src/repair/codecs.js';
import { parseFragments, type Fragment } from '../../src/repair/fmp4.js';

/** A content key with its identifier, 16 bytes each. */
export interface ContentKey {
  readonly id: Uint8Array;
  readonly key: Uint8Array;
}

interface Range {
  readonly clear: number;
  readonly encrypted: number;
}

const CONSTANT_IV = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
/** Of every ten blocks the first one is encrypted (ISO/IEC 23001-7 §10.4.1). */
const PATTERN = 10;
const BLOCK = 16;
const STSD_FIELDS = 8;
const VISUAL_FIELDS = 78;

/** Number of the sample description of what stays in the clear, as packagers write it: behind that of what is encrypted. */
const CLEAR_DESCRIPTION = 2;

/**
 * Encrypts a fragmented H.264 file by Common Encryption's `cbcs`, slice headers in the clear. `lead`: so many fragments at its start stay
 * in the clear, with a sample description of their own; undefined: there is none such.
 */
export function encryptCbcs(file: Uint8Array, content: ContentKey, lead?: number): Buffer {
  const moov = new BoxReader(file).all().find(({ type }) => type === 'moov')!;
  const init = file.subarray(0, moov.end);
  const { codec } = readTrack(init)(undefined);
  const segments = Buffer.from(file.subarray(moov.end));
  const fragments = parseFragments(segments).map((fragment, index) =>
    index < (lead ?? 0)
      ? describedAsClear(segments, fragment)
      : encryptFragment(segments, fragment, codec, content.key),
  );
  const rest = segments.subarray(parseFragments(segments).at(-1)!.end);
  return Buffer.concat([protectInit(init, content.id, lead !== undefined), ...fragments, rest]);
}

/** The fragment with the number of a sample description in its `tfhd`, which has named none. */
function describedAsClear(segments: Buffer, fragment: Fragment): Buffer {
  const reader = new BoxReader(segments);
  const moof = reader.all().find(({ start }) => start === fragment.moofStart)!;
  const traf = reader.child(moof, 'traf');
  const tfhd = reader.child(traf, 'tfhd');
  const flags = reader.u32(tfhd, 0);
  if (flags & 0x3) throw new Error('expected a tfhd without a sample description and data offset');
  const place = tfhd.payload + 8;
  const before = Buffer.from(segments.subarray(fragment.start, place));
  const after = Buffer.from(segments.subarray(place, fragment.end));
  before.writeUInt32BE(flags | 0x2, tfhd.payload - fragment.start);
  for (const { start } of [moof, traf, tfhd])
    before.writeUInt32BE(before.readUInt32BE(start - fragment.start) + 4, start - fragment.start);
  for (const { field } of fragment.dataOffsets)
    after.writeUInt32BE(after.readUInt32BE(field - place) + 4, field - place);
  return Buffer.concat([before, u32(CLEAR_DESCRIPTION), after]);
}

function encryptFragment(segments: Buffer, fragment: Fragment, codec: Codec, key: Uint8Array): Buffer {
  const read = codec.reader(segments, { contains: () => true });
  const maps = fragment.samples.map(({ offset, size }) => {
    const ranges: Range[] = [];
    let at = offset;
    for (const { headerEnd, end } of read(offset, offset + size).flatMap(({ parts }) => parts)) {
      ranges.push({ clear: headerEnd - at, encrypted: end - headerEnd });
      encryptRange(segments.subarray(headerEnd, end), key);
      at = end;
    }
    return at < offset + size ? [...ranges, { clear: offset + size - at, encrypted: 0 }] : ranges;
  });
  return withAuxiliaryData(segments, fragment, maps);
}

/** In place; the vector starts anew with every range, and what is left of a block stays as it is. */
function encryptRange(data: Buffer, key: Uint8Array): void {
  const cipher = createCipheriv('aes-128-cbc', key, CONSTANT_IV).setAutoPadding(false);
  for (let at = 0; at + BLOCK <= data.length; at += BLOCK * PATTERN) {
    cipher.update(data.subarray(at, at + BLOCK)).copy(data, at);
  }
}

/** The fragment with `saiz`, `saio` and `senc` at the end of its `traf`. */
function withAuxiliaryData(segments: Buffer, fragment: Fragment, maps: readonly Range[][]): Buffer {
  const reader = new BoxReader(segments);
  const moof = reader.all().find(({ start }) => start === fragment.moofStart)!;
  const traf = reader.child(moof, 'traf');
  const entries = maps.map((map) =>
    Buffer.concat([u16(map.length), ...map.map(({ clear, encrypted }) => Buffer.concat([u16(clear), u32(encrypted)]))]),
  );
  const saiz = box('saiz', u32(0), Buffer.of(0), u32(entries.length), Buffer.from(entries.map(({ length }) => length)));
  const saioBytes = 20;
  const firstEntry = traf.end + saiz.length + saioBytes + 16 - moof.start;
  const saio = box('saio', u32(0), u32(1), u32(firstEntry));
  const senc = box('senc', u32(2), u32(entries.length), ...entries);
  const added = Buffer.concat([saiz, saio, senc]);
  const before = Buffer.from(segments.subarray(fragment.start, traf.end));
  const grow = (at: number) =>
    before.writeUInt32BE(before.readUInt32BE(at - fragment.start) + added.length, at - fragment.start);
  for (const position of [moof.start, traf.start, ...fragment.dataOffsets.map(({ field }) => field)]) grow(position);
  return Buffer.concat([before, added, segments.subarray(traf.end, fragment.end)]);
}

function protectInit(init: Uint8Array, keyId: Uint8Array, hasLead: boolean): Buffer {
  const reader = new BoxReader(init);
  const path: Box[] = [reader.all().find(({ type }) => type === 'moov')!];
  for (const type of ['trak', 'mdia', 'minf', 'stbl', 'stsd']) path.push(reader.child(path.at(-1)!, type));
  const entry = reader.children(path.at(-1)!, STSD_FIELDS)[0]!;
  const tenc = box(
    'tenc',
    u32(0x01000000),
    Buffer.of(0, 0x19, 1, 0),
    keyId,
    Buffer.of(CONSTANT_IV.length),
    CONSTANT_IV,
  );
  const scheme = box('schm', u32(0), Buffer.from('cbcs'), u32(0x10000));
  const sinf = box('sinf', box('frma', Buffer.from(entry.type)), scheme, box('schi', tenc));
  const start = Buffer.from(init.subarray(0, entry.end));
  start.write('encv', entry.start + 4);
  for (const { start: at } of [...path, entry]) start.writeUInt32BE(start.readUInt32BE(at) + sinf.length, at);
  const clear = init.subarray(entry.start, hasLead ? entry.end : entry.start);
  for (const { start: at } of path) start.writeUInt32BE(start.readUInt32BE(at) + clear.length, at);
  if (hasLead) start.writeUInt32BE(CLEAR_DESCRIPTION, path.at(-1)!.payload + 4);
  if (reader.children(entry, VISUAL_FIELDS).length === 0) throw new Error(`${entry.type} without children`);
  return Buffer.concat([start, sinf, clear, init.subarray(entry.end)]);
}

function box(type: string, ...content: Uint8Array[]): Buffer {
  const payload = Buffer.concat(content);
  return Buffer.concat([u32(payload.length + 8), Buffer.from(type), payload]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
