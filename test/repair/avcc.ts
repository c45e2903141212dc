import { type Box, BoxReader } from '../../src/repair/box-reader.js';

const STSD_FIELDS = 8;
const VISUAL_FIELDS = 78;
/** Bytes of an `avcC` before the number of its sequence parameter sets (ISO/IEC 14496-15 §5.3.3.1). */
const HEAD_BYTES = 5;

/** The file, which has its parameter sets in samples, too, as a track that has them nowhere else. */
export function asAvc3(file: Buffer): Buffer {
  return withAvcc(file, 'avc3', (avcc) => Buffer.concat([avcc.subarray(0, HEAD_BYTES), Buffer.of(0xe0, 0)]));
}

/** The file with a zero byte at the end of each parameter set of its `avcC`, as FFmpeg 5.1 leaves them there of start codes. */
export function withZeros(file: Buffer): Buffer {
  return withAvcc(file, 'avc1', (avcc) => {
    const parts = [avcc.subarray(0, HEAD_BYTES)];
    let at = HEAD_BYTES;
    for (const mask of [0x1f, 0xff]) {
      const count = avcc[at]! & mask;
      parts.push(avcc.subarray(at, ++at));
      for (let index = 0; index < count; index++) {
        const bytes = avcc.readUInt16BE(at);
        parts.push(
          Buffer.of((bytes + 1) >> 8, (bytes + 1) & 0xff),
          avcc.subarray(at + 2, at + 2 + bytes),
          Buffer.of(0),
        );
        at += 2 + bytes;
      }
    }
    return Buffer.concat([...parts, avcc.subarray(at)]);
  });
}

/** The file with another type of its sample entry and another `avcC`. */
function withAvcc(file: Buffer, type: string, edit: (avcc: Buffer) => Buffer): Buffer {
  const reader = new BoxReader(file);
  const path: Box[] = [reader.all().find((box) => box.type === 'moov')!];
  for (const name of ['trak', 'mdia', 'minf', 'stbl', 'stsd']) path.push(reader.child(path.at(-1)!, name));
  const entry = reader.children(path.at(-1)!, STSD_FIELDS)[0]!;
  const avcc = reader.children(entry, VISUAL_FIELDS).find((box) => box.type === 'avcC')!;
  const edited = edit(file.subarray(avcc.payload, avcc.end));
  const before = Buffer.from(file.subarray(0, avcc.payload));
  before.write(type, entry.start + 4);
  const growth = edited.length - (avcc.end - avcc.payload);
  for (const { start } of [...path, entry, avcc]) before.writeUInt32BE(before.readUInt32BE(start) + growth, start);
  return Buffer.concat([before, edited, file.subarray(avcc.end)]);
}
