import type { OpenCodec } from '../codec.js';
import { type Edit, writeNumber } from '../edits.js';
import { malformed } from '../errors.js';
import { type CurrentSets, pictureType, readSlices, type Slice } from './access-unit.js';
import { parseParameterSets } from './parameter-sets.js';
import { SkipSliceWriter } from './skip-slice.js';

/** NAL unit type 12, nal_ref_idc 0 (H.264 §7.3.2.7). */
const FILLER_HEADER = 0x0c;
const FILLER_BYTE = 0xff;
const TRAILING_BITS = 0x80;

/**
 * Bytes by which the slice that stands in may be the longer one. Nothing codes macroblocks in less than skipping them all, but for what
 * the context takes to learn that (some 15 bytes): a slice that is shorter than this is none.
 */
const MAX_GROWTH = 64;

/** Sample entry of tracks whose samples may bring parameter sets (ISO/IEC 14496-15 §5.4.2.1.2). */
const IN_BAND = 'avc3';

/** H.264: an all-skip slice with the same header stands in for an incomplete P or B slice. */
export const openH264: OpenCodec = ({ type, configuration }) => {
  if (type !== 'avc1' && type !== IN_BAND) return undefined;
  const avcc = configuration('avcC');
  if (!avcc) throw malformed(`${type} without avcC`);
  const parameterSets = parseParameterSets(avcc);
  const { nalLengthSize } = parameterSets;
  const skipSlices = new SkipSliceWriter();

  function skip(segment: Uint8Array, { start, payload, end, header, macroblocks }: Slice): Edit {
    const nal = skipSlices.write(segment.subarray(payload, end), header, macroblocks);
    const data = new Uint8Array(nalLengthSize + nal.length);
    writeNumber(data, 0, nalLengthSize, nal.length);
    if (data.length > end - start + MAX_GROWTH)
      throw malformed(`${macroblocks} macroblocks in a slice of ${end - start} bytes`);
    data.set(nal, nalLengthSize);
    return { start, end, data };
  }

  return {
    reader(segment, received) {
      const current: CurrentSets = { sets: parameterSets, mayChange: type === IN_BAND };
      return (start, end) => {
        const parts = readSlices(current, segment, start, end, received);
        const incomplete = parts.filter((slice) => !received.contains(slice.payload, slice.end));
        const edits = incomplete.map((slice) => skip(segment, slice));
        const isReference = parts.some(({ header }) => header.isReference);
        return [{ start, bytes: end - start, type: pictureType(parts), isReference, parts, edits }];
      };
    },
    /** One filler NAL unit with its length field. */
    filler(bytes) {
      const nalBytes = bytes - nalLengthSize;
      if (nalBytes < 2 || nalBytes >= 256 ** nalLengthSize) return undefined;
      const filler = new Uint8Array(bytes).fill(FILLER_BYTE);
      writeNumber(filler, 0, nalLengthSize, nalBytes);
      filler[nalLengthSize] = FILLER_HEADER;
      filler[bytes - 1] = TRAILING_BITS;
      return filler;
    },
  };
};
