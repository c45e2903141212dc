import type { FramePart } from '../codec.js';
import { malformed, missing, unsupported } from '../errors.js';
import type { ReceivedBytes } from '../types.js';
import { NAL_SPS, type ParameterSets, withParameterSet } from './parameter-sets.js';
import { NAL_IDR_SLICE, parseSliceHeader, type SliceHeader, type SliceType } from './slice-header.js';

const NAL_SLICE = 1;
const NAL_DATA_PARTITION_A = 2;
const NAL_DATA_PARTITION_C = 4;
const NAL_PPS = 8;

/** A slice of a picture: its length field is `[start, payload)`, its NAL unit `[payload, end)`, in bytes of the segment. */
export interface Slice extends FramePart {
  readonly payload: number;
  readonly header: SliceHeader;
  /** How many macroblocks it covers: up to where the next slice starts. */
  readonly macroblocks: number;
}

/** The parameter sets that hold from one sample of a segment to the next. */
export interface CurrentSets {
  sets: ParameterSets;
  /** Whether samples may bring others, which replace those of the same id. */
  readonly mayChange: boolean;
}

type NalUnit = Pick<Slice, 'start' | 'payload' | 'end'>;
type SliceNalUnit = Omit<Slice, 'macroblocks'>;

/**
 * Reads the slices of the sample at `[start, end)` of a segment whose missing bytes may hold anything; all other NAL
 * units must be here (ISO/IEC 14496-15 §5.3.4.2, H.264 §7.4.1.2). Throws `RepairError`.
 */
export function readSlices(
  current: CurrentSets,
  segment: Uint8Array,
  start: number,
  end: number,
  received: ReceivedBytes,
): Slice[] {
  const slices: SliceNalUnit[] = [];
  for (const nal of readNalUnits(current.sets.nalLengthSize, segment, start, end, received)) {
    const slice = readSlice(current, segment, nal, received);
    if (slice) slices.push(slice);
  }
  return withMacroblocks(slices);
}

/** B when any slice is B, else P when any is P, else I. */
export function pictureType(slices: readonly Slice[]): SliceType {
  return (['B', 'P'] as const).find((type) => slices.some((slice) => slice.header.type === type)) ?? 'I';
}

function* readNalUnits(
  lengthSize: number,
  segment: Uint8Array,
  start: number,
  end: number,
  received: ReceivedBytes,
): Generator<NalUnit> {
  let at = start;
  while (at < end) {
    const payload = at + lengthSize;
    if (payload > end) throw malformed(`stray bytes at the end of the sample at ${start}`);
    if (!received.contains(at, payload)) {
      throw missing(`NAL unit length at ${at} is missing`);
    }
    let length = 0;
    for (let index = at; index < payload; index++) length = length * 256 + segment[index]!;
    const nalEnd = payload + length;
    if (length === 0 || nalEnd > end) throw malformed(`NAL unit at ${at} does not fit its sample`);
    yield { start: at, payload, end: nalEnd };
    at = nalEnd;
  }
}

/** Checks that what must be here of a NAL unit is, and reads it if it is a slice or a parameter set. */
function readSlice(
  current: CurrentSets,
  segment: Uint8Array,
  unit: NalUnit,
  received: ReceivedBytes,
): SliceNalUnit | undefined {
  const { payload, end } = unit;
  if (!received.contains(payload, payload + 1)) {
    throw missing(`NAL unit header at ${payload} is missing`);
  }
  const type = segment[payload]! & 0x1f;
  if (type >= NAL_DATA_PARTITION_A && type <= NAL_DATA_PARTITION_C) {
    throw unsupported('data partitioning');
  }
  const nal = segment.subarray(payload, end);
  const isSlice = type === NAL_SLICE || type === NAL_IDR_SLICE;
  const header = isSlice ? readHeader(nal, current.sets, received.contains(payload, end)) : undefined;
  const headerEnd = header ? payload + header.headerBytes : end;
  const reliableEnd = header?.type === 'I' ? end : headerEnd;
  if (!received.contains(payload, reliableEnd)) {
    throw missing(`bytes that must be reliable are missing at ${payload}`);
  }
  if (type === NAL_SPS || type === NAL_PPS) {
    if (current.mayChange) current.sets = withParameterSet(current.sets, nal);
    else if (!current.sets.has(nal)) throw unsupported('parameter sets that change inside the stream');
  }
  return header && { ...unit, header, headerEnd, reliableEnd };
}

/** A header that cannot be read from an incomplete slice is one that has not arrived. */
function readHeader(nal: Uint8Array, parameterSets: ParameterSets, isComplete: boolean): SliceHeader {
  try {
    return parseSliceHeader(nal, parameterSets);
  } catch (error) {
    if (isComplete) throw error;
    throw missing('slice header is missing', error);
  }
}

function withMacroblocks(slices: readonly SliceNalUnit[]): Slice[] {
  if (slices.length === 0) throw malformed('sample without a slice');
  const { sps } = slices[0]!.header.pps;
  let expectedStart = 0;
  return slices.map((slice, index) => {
    const { firstMacroblock, pps } = slice.header;
    if (firstMacroblock < expectedStart || (index === 0 && firstMacroblock !== 0)) {
      throw unsupported('several pictures in a sample, or slices out of order');
    }
    if (pps.sps !== sps) {
      throw malformed('slices of one picture with different sequence parameter sets');
    }
    expectedStart = firstMacroblock + 1;
    const next = slices[index + 1]?.header.firstMacroblock ?? sps.pictureMacroblocks;
    return { ...slice, macroblocks: next - firstMacroblock };
  });
}
