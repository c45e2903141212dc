import { malformed, unsupported } from '../errors.js';
import { BitReader } from './bits.js';

/** profile_idc values whose SPS carries chroma format, bit depth and scaling lists (H.264 §7.3.2.1.1). */
const CHROMA_FORMAT_PROFILES = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);
const CHROMA_420 = 1;
/** Largest picture of any level, 6.2 (H.264 table A-1, MaxFS). */
const MAX_PICTURE_MACROBLOCKS = 139_264;

/** Sequence parameter set: what a slice header depends on. */
export interface SequenceParameterSet {
  readonly id: number;
  readonly lumaBitDepth: number;
  readonly frameNumBits: number;
  readonly pocType: number;
  /** 0 unless `pocType` is 0. */
  readonly pocLsbBits: number;
  /** delta_pic_order_always_zero_flag; true unless `pocType` is 1. */
  readonly deltaPocAlwaysZero: boolean;
  readonly pictureMacroblocks: number;
}

/** Picture parameter set: what a slice header depends on. */
export interface PictureParameterSet {
  readonly id: number;
  readonly sps: SequenceParameterSet;
  /** entropy_coding_mode_flag: CABAC, else CAVLC. */
  readonly cabac: boolean;
  /** bottom_field_pic_order_in_frame_present_flag */
  readonly pocDeltaPresent: boolean;
  /** num_ref_idx_default_active of list 0 and list 1. */
  readonly defaultReferences: readonly [number, number];
  readonly weightedPrediction: boolean;
  /** weighted_bipred_idc: 1 is explicit. */
  readonly weightedBiprediction: number;
  readonly initialQp: number;
  readonly deblockingControlPresent: boolean;
  readonly redundantPicturesPresent: boolean;
}

/** The parameter sets of an `avcC`, or those that hold after others inside samples. */
export interface ParameterSets {
  /** Bytes of the length field before each NAL unit: 2 or 4. */
  readonly nalLengthSize: number;
  readonly sps: ReadonlyMap<number, SequenceParameterSet>;
  readonly pps: ReadonlyMap<number, PictureParameterSet>;
  /** Whether that NAL unit is one of the parameter sets of the `avcC`. */
  has(nal: Uint8Array): boolean;
}

/** nal_unit_type of a sequence parameter set (H.264 table 7-1). */
export const NAL_SPS = 7;

/** Bytes of a parameter set that an `avcC` has room for. */
const MAX_SET_BYTES = 2 ** 16;

/**
 * Parses an AVCDecoderConfigurationRecord (ISO/IEC 14496-15 §5.3.3.1).
 * Throws `RepairError` (unsupported-stream, malformed).
 */
export function parseParameterSets(avcc: Uint8Array): ParameterSets {
  if (avcc.length < 7 || avcc[0] !== 1) throw malformed('no AVC decoder configuration');
  const nalLengthSize = (avcc[4]! & 3) + 1;
  if (nalLengthSize !== 2 && nalLengthSize !== 4) {
    throw unsupported(`NAL unit lengths of ${nalLengthSize} bytes`);
  }
  const sequence = readSets(avcc, 6, avcc[5]! & 0x1f);
  const pictureCount = avcc[sequence.end];
  if (pictureCount === undefined) throw malformed('AVC decoder configuration is cut off');
  const picture = readSets(avcc, sequence.end + 1, pictureCount);
  const spsById = new Map(sequence.nalUnits.map(parseSps).map((sps) => [sps.id, sps]));
  const ppsById = new Map(picture.nalUnits.map((nal) => parsePps(nal, spsById)).map((pps) => [pps.id, pps]));
  const known = new Set([...sequence.nalUnits, ...picture.nalUnits].map((nal) => trimmed(nal).join()));
  const has = (nal: Uint8Array): boolean => nal.length < MAX_SET_BYTES && known.has(trimmed(nal).join());
  return { nalLengthSize, sps: spsById, pps: ppsById, has };
}

/** Those that hold after another parameter set, a NAL unit inside a sample. Throws `RepairError` (unsupported-stream, malformed). */
export function withParameterSet(sets: ParameterSets, nal: Uint8Array): ParameterSets {
  const [sps, pps] = [new Map(sets.sps), new Map(sets.pps)];
  if ((nal[0]! & 0x1f) === NAL_SPS) {
    const own = parseSps(nal);
    sps.set(own.id, own);
    for (const [id, one] of pps) if (one.sps.id === own.id) pps.set(id, { ...one, sps: own });
  } else {
    const own = parsePps(nal, sps);
    pps.set(own.id, own);
  }
  return { ...sets, sps, pps };
}

/** The NAL unit itself: none ends in a zero (H.264 §7.4.1), but writers of `avcC` leave those of start codes there. */
function trimmed(nal: Uint8Array): Uint8Array {
  let { length } = nal;
  while (length > 0 && nal[length - 1] === 0) length--;
  return nal.subarray(0, length);
}

/** Parses a sequence parameter set, given as a NAL unit. Throws `RepairError` (unsupported-stream, malformed). */
export function parseSps(nal: Uint8Array): SequenceParameterSet {
  const reader = new BitReader(nal);
  reader.bits(8); // NAL unit header
  const profile = reader.bits(8);
  reader.bits(16); // constraint flags, level_idc
  const id = reader.ue();
  let lumaBitDepth = 8;
  if (CHROMA_FORMAT_PROFILES.has(profile)) {
    if (reader.ue() !== CHROMA_420) throw unsupported('chroma format other than 4:2:0');
    lumaBitDepth = 8 + reader.ue();
    if (lumaBitDepth > 14) throw malformed('luma bit depth above 14');
    reader.ue(); // bit_depth_chroma_minus8
    reader.flag(); // qpprime_y_zero_transform_bypass_flag
    if (reader.flag()) skipScalingLists(reader);
  }
  const frameNumBits = log2Bits(reader);
  const poc = readPocFields(reader);
  reader.ue(); // max_num_ref_frames
  reader.flag(); // gaps_in_frame_num_value_allowed_flag
  const pictureMacroblocks = (reader.ue() + 1) * (reader.ue() + 1);
  if (pictureMacroblocks > MAX_PICTURE_MACROBLOCKS) {
    throw unsupported('picture larger than any level of H.264 allows');
  }
  const frameMacroblocksOnly = reader.flag();
  if (!frameMacroblocksOnly) throw unsupported('interlaced video');
  return { id, lumaBitDepth, frameNumBits, ...poc, pictureMacroblocks };
}

/**
 * Parses a picture parameter set, given as a NAL unit, up to the last field that a slice header depends on.
 * Throws `RepairError` (unsupported-stream, malformed).
 */
export function parsePps(nal: Uint8Array, spsById: ReadonlyMap<number, SequenceParameterSet>): PictureParameterSet {
  const reader = new BitReader(nal);
  reader.bits(8); // NAL unit header
  const id = reader.ue();
  const sps = spsById.get(reader.ue());
  if (!sps) throw malformed('picture parameter set without its sequence parameter set');
  const cabac = reader.flag();
  const pocDeltaPresent = reader.flag();
  const sliceGroups = reader.ue() + 1;
  if (sliceGroups > 1) throw unsupported('slice groups (flexible macroblock ordering)');
  const defaultReferences: [number, number] = [reader.ue() + 1, reader.ue() + 1];
  const weightedPrediction = reader.flag();
  const weightedBiprediction = reader.bits(2);
  const initialQp = 26 + reader.se();
  reader.se(); // pic_init_qs_minus26
  reader.se(); // chroma_qp_index_offset
  const deblockingControlPresent = reader.flag();
  reader.flag(); // constrained_intra_pred_flag
  return {
    id,
    sps,
    cabac,
    pocDeltaPresent,
    defaultReferences,
    weightedPrediction,
    weightedBiprediction,
    initialQp,
    deblockingControlPresent,
    redundantPicturesPresent: reader.flag(),
  };
}

/** `count` NAL units with a 16-bit length each, and the position after them. */
function readSets(avcc: Uint8Array, start: number, count: number): { nalUnits: Uint8Array[]; end: number } {
  const nalUnits: Uint8Array[] = [];
  let at = start;
  for (let index = 0; index < count; index++) {
    const length = ((avcc[at] ?? 0) << 8) | (avcc[at + 1] ?? 0);
    const nal = avcc.subarray(at + 2, at + 2 + length);
    if (length === 0 || nal.length < length) {
      throw malformed('AVC decoder configuration is cut off');
    }
    nalUnits.push(nal);
    at += 2 + length;
  }
  return { nalUnits, end: at };
}

/** A log2_max_…_minus4 field: how many bits the numbers take that it limits. */
function log2Bits(reader: BitReader): number {
  const bits = reader.ue() + 4;
  if (bits > 16) throw malformed('counter of more than 16 bits');
  return bits;
}

function readPocFields(reader: BitReader): Pick<SequenceParameterSet, 'pocType' | 'pocLsbBits' | 'deltaPocAlwaysZero'> {
  const pocType = reader.ue();
  if (pocType === 0) return { pocType, pocLsbBits: log2Bits(reader), deltaPocAlwaysZero: true };
  if (pocType === 2) return { pocType, pocLsbBits: 0, deltaPocAlwaysZero: true };
  if (pocType !== 1) throw malformed('unknown picture order count type');
  const deltaPocAlwaysZero = reader.flag();
  reader.se(); // offset_for_non_ref_pic
  reader.se(); // offset_for_top_to_bottom_field
  for (let offsets = reader.ue(); offsets > 0; offsets--) reader.se(); // offset_for_ref_frame
  return { pocType, pocLsbBits: 0, deltaPocAlwaysZero };
}

/** Skips seq_scaling_matrix for 4:2:0: six 4×4 and two 8×8 lists (H.264 §7.3.2.1.1.1). */
function skipScalingLists(reader: BitReader): void {
  for (let list = 0; list < 8; list++) {
    if (!reader.flag()) continue;
    let last = 8;
    let next = 8;
    for (let entries = list < 6 ? 16 : 64; entries > 0; entries--) {
      if (next === 0) break; // the rest repeats the last value
      next = (last + reader.se()) & 0xff;
      if (next !== 0) last = next;
    }
  }
}
