import { BitWriter, escape } from '../../src/repair/h264/bits.js';

/** The picture's size in macroblocks. */
const WIDTH = 80;
const HEIGHT = 45;
/** Makes the header of a P slice at macroblock 0 four bytes long, less one bit. */
const FRAME_NUM_BITS = 16;

const SLICE_TYPES = { P: 0, B: 1, I: 2 };

export interface SpsFeatures {
  readonly chromaFormat?: number;
  readonly width?: number;
  readonly height?: number;
  readonly frameMacroblocksOnly?: 0 | 1;
}

/** An SPS in the High profile: picture order count type 2. */
export function sps(features: SpsFeatures = {}): Uint8Array {
  const { chromaFormat = 1, width = WIDTH, height = HEIGHT, frameMacroblocksOnly = 1 } = features;
  const writer = new BitWriter();
  for (const byte of [0x67, 100, 0, 40]) writer.bits(byte, 8);
  for (const code of [0, chromaFormat, 0, 0]) writer.ue(code); // id, chroma format, bit depths
  writer.bits(0b00, 2); // no transform bypass, no scaling lists
  for (const code of [FRAME_NUM_BITS - 4, 2, 4]) writer.ue(code); // frame_num, picture order count type, references
  writer.bit(0); // no gaps in frame_num
  for (const code of [width - 1, height - 1]) writer.ue(code);
  writer.bit(frameMacroblocksOnly);
  return finish(writer);
}

/** A PPS for CABAC. */
export function pps({ sliceGroups = 1 } = {}): Uint8Array {
  const writer = new BitWriter();
  writer.bits(0x68, 8);
  for (const code of [0, 0]) writer.ue(code); // ids
  writer.bits(0b10, 2); // CABAC, no picture order count delta
  for (const code of [sliceGroups - 1, 0, 0]) writer.ue(code); // one reference in each list
  writer.bits(0, 3); // no weighted prediction
  for (const code of [0, 0, 0]) writer.ue(code); // quantisers
  writer.bits(0, 3); // no deblocking control, no constrained intra prediction, no redundant pictures
  return finish(writer);
}

/** The avcC of these parameter sets. */
export function avcc(
  lengthSize: 2 | 4 = 4,
  sequence: readonly Uint8Array[] = [sps()],
  picture: readonly Uint8Array[] = [pps()],
): Uint8Array {
  const withLength = (nal: Uint8Array): Uint8Array => Buffer.concat([Uint8Array.of(nal.length >> 8, nal.length), nal]);
  const head = Uint8Array.of(1, 100, 0, 40, 0xfc | (lengthSize - 1), 0xe0 | sequence.length);
  return Uint8Array.from(
    Buffer.concat([head, ...sequence.map(withLength), Uint8Array.of(picture.length), ...picture.map(withLength)]),
  );
}

/** Bytes of a P slice that begins at macroblock 0, up to the end of its header. */
export const HEADER_BYTES = 4;

/** A slice that no other picture refers to: its header, then `bytes` of data without meaning. */
export function slice(type: 'I' | 'P' | 'B', bytes: number, firstMacroblock = 0): Uint8Array {
  const writer = new BitWriter();
  writer.bits(1, 8);
  for (const code of [firstMacroblock, SLICE_TYPES[type], 0]) writer.ue(code);
  writer.bits(1, FRAME_NUM_BITS);
  if (type === 'B') writer.bit(1); // spatial direct mode
  if (type !== 'I') writer.bits(0, type === 'B' ? 3 : 2); // default references, no modification
  if (type !== 'I') writer.ue(0); // cabac_init_idc
  writer.ue(0); // slice_qp_delta
  writer.align(1);
  return Buffer.concat([escape(writer.toBytes()), Buffer.alloc(bytes, 0x55)]);
}

/** Closes a NAL unit with its trailing bits. */
function finish(writer: BitWriter): Uint8Array {
  writer.bit(1);
  writer.align(0);
  return escape(writer.toBytes());
}
