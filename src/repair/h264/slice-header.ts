import { malformed, unsupported } from '../errors.js';
import { BitReader } from './bits.js';
import type { ParameterSets, PictureParameterSet } from './parameter-sets.js';

/** nal_unit_type of a slice of an IDR picture. */
export const NAL_IDR_SLICE = 5;
/** Bytes of a NAL unit in which its header must end; full tables for 2 × 32 references take half of them. */
const MAX_HEADER_BYTES = 4096;
/** num_ref_idx_active never exceeds it (H.264 §7.4.3). */
const MAX_REFERENCES = 32;
/** Arguments of each memory_management_control_operation (H.264 §7.3.3.3). */
const MARKING_ARGUMENTS = [0, 1, 1, 2, 1, 0, 1];

export type SliceType = 'I' | 'P' | 'B';
const SLICE_TYPES: readonly SliceType[] = ['P', 'B', 'I'];

/** What repair needs to know of a slice (H.264 §7.3.3). */
export interface SliceHeader {
  readonly type: SliceType;
  /** Other pictures may refer to this one. */
  readonly isReference: boolean;
  readonly firstMacroblock: number;
  readonly pps: PictureParameterSet;
  /** 0 for I slices and CAVLC. */
  readonly cabacInitIdc: number;
  /** SliceQP_Y */
  readonly qp: number;
  /** Bits up to the end of the header, the NAL unit's first byte included, emulation prevention bytes left out. */
  readonly headerBits: number;
  /** Bytes of the NAL unit that hold them. */
  readonly headerBytes: number;
  /** Place of direct_spatial_mv_pred_flag among the bits of the header; undefined but in B slices. */
  readonly directModeBit: number | undefined;
}

/**
 * Parses the header of a slice NAL unit (type 1 or 5) of progressive 4:2:0 video without slice groups.
 * Throws `RepairError` (unsupported-stream, malformed).
 */
export function parseSliceHeader(nal: Uint8Array, parameterSets: ParameterSets): SliceHeader {
  const reader = new BitReader(nal.subarray(0, MAX_HEADER_BYTES));
  const isReference = reader.bits(3) !== 0; // forbidden_zero_bit, nal_ref_idc
  const isIdr = reader.bits(5) === NAL_IDR_SLICE;
  const firstMacroblock = reader.ue();
  const type = readSliceType(reader);
  const pps = parameterSets.pps.get(reader.ue());
  if (!pps) throw malformed('slice refers to an unknown picture parameter set');
  if (firstMacroblock >= pps.sps.pictureMacroblocks) {
    throw malformed('slice starts outside the picture');
  }
  reader.bits(pps.sps.frameNumBits);
  if (isIdr) reader.ue(); // idr_pic_id
  skipPictureOrderCount(reader, pps);
  if (pps.redundantPicturesPresent && reader.ue() !== 0) throw unsupported('redundant pictures');
  const directModeBit = type === 'B' ? reader.bitsRead : undefined;
  if (type !== 'I') skipReferences(reader, type, pps);
  if (isReference) skipReferenceMarking(reader, isIdr);
  const cabacInitIdc = pps.cabac && type !== 'I' ? reader.ue() : 0;
  if (cabacInitIdc > 2) throw malformed('cabac_init_idc above 2');
  const qp = pps.initialQp + reader.se();
  if (qp < -6 * (pps.sps.lumaBitDepth - 8) || qp > 51) throw malformed('quantiser out of range');
  if (pps.deblockingControlPresent && reader.ue() !== 1) {
    reader.se(); // slice_alpha_c0_offset_div2
    reader.se(); // slice_beta_offset_div2
  }
  return {
    type,
    isReference,
    firstMacroblock,
    pps,
    cabacInitIdc,
    qp,
    headerBits: reader.bitsRead,
    headerBytes: reader.bytesRead,
    directModeBit,
  };
}

function readSliceType(reader: BitReader): SliceType {
  const code = reader.ue();
  if (code > 9) throw malformed('unknown slice type');
  const type = SLICE_TYPES[code % 5];
  if (!type) throw unsupported('switching slices (SP, SI)');
  return type;
}

function skipPictureOrderCount(reader: BitReader, pps: PictureParameterSet): void {
  const { pocType, pocLsbBits, deltaPocAlwaysZero } = pps.sps;
  if (pocType === 0) {
    reader.bits(pocLsbBits);
    if (pps.pocDeltaPresent) reader.se(); // delta_pic_order_cnt_bottom
  } else if (!deltaPocAlwaysZero) {
    reader.se(); // delta_pic_order_cnt[0]
    if (pps.pocDeltaPresent) reader.se(); // delta_pic_order_cnt[1]
  }
}

/** Direct mode, lengths and modification of the reference lists, weights. */
function skipReferences(reader: BitReader, type: 'P' | 'B', pps: PictureParameterSet): void {
  if (type === 'B') reader.flag(); // direct_spatial_mv_pred_flag
  let references = type === 'B' ? [...pps.defaultReferences] : [pps.defaultReferences[0]];
  const isOverridden = reader.flag();
  if (isOverridden) references = references.map(() => reader.ue() + 1);
  if (Math.max(...references) > MAX_REFERENCES) throw malformed('more than 32 references');
  for (let list = 0; list < references.length; list++) {
    const isModified = reader.flag();
    if (isModified) while (reader.ue() !== 3) reader.ue(); // abs_diff_pic_num_minus1 or long_term_pic_num
  }
  const isWeighted = type === 'B' ? pps.weightedBiprediction === 1 : pps.weightedPrediction;
  if (isWeighted) skipWeights(reader, references);
}

/** pred_weight_table (H.264 §7.3.3.2) with chroma. */
function skipWeights(reader: BitReader, references: readonly number[]): void {
  reader.ue(); // luma_log2_weight_denom
  reader.ue(); // chroma_log2_weight_denom
  for (const count of references) {
    for (let reference = 0; reference < count; reference++) {
      if (reader.flag()) skipSigned(reader, 2); // luma weight and offset
      if (reader.flag()) skipSigned(reader, 4); // both for Cb and Cr
    }
  }
}

function skipSigned(reader: BitReader, count: number): void {
  for (let index = 0; index < count; index++) reader.se();
}

/** dec_ref_pic_marking (H.264 §7.3.3.3). */
function skipReferenceMarking(reader: BitReader, isIdr: boolean): void {
  if (isIdr) {
    reader.bits(2); // no_output_of_prior_pics_flag, long_term_reference_flag
    return;
  }
  const isAdaptive = reader.flag();
  if (!isAdaptive) return;
  for (let operation = reader.ue(); operation !== 0; operation = reader.ue()) {
    const count = MARKING_ARGUMENTS[operation];
    if (count === undefined) throw malformed('unknown memory management operation');
    for (let index = 0; index < count; index++) reader.ue();
  }
}
