import { BitReader, BitWriter, escape } from './bits.js';
import { clipQp, SkippedMacroblocks } from './cabac.js';
import type { SliceHeader } from './slice-header.js';

/** Makes all-skip slices: what stands in for a slice that is not complete. */
export class SkipSliceWriter {
  /** Data by type, cabac_init_idc and quantiser: some hundred at most. */
  readonly #skipped = new Map<string, SkippedMacroblocks>();

  /**
   * A slice NAL unit with `nal`'s own header in which all `macroblocks` ≥ 1 are skipped (P_Skip, B_Skip), those of a B
   * slice in temporal direct mode. Reads only the first `header.headerBytes` bytes of `nal`. I slices have no skipped macroblocks: `RangeError`.
   */
  write(nal: Uint8Array, header: SliceHeader, macroblocks: number): Uint8Array {
    if (header.type === 'I') throw new RangeError('an I slice cannot be skipped');
    const reader = new BitReader(nal);
    const writer = new BitWriter();
    for (let at = 0; at < header.headerBits; at++) {
      const bit = reader.bit();
      writer.bit(at === header.directModeBit ? 0 : bit);
    }
    if (header.pps.cabac) {
      writer.align(1); // cabac_alignment_one_bit
      const data = this.#cabacData(header.type, header.cabacInitIdc, header.qp, macroblocks);
      return escape([...writer.toBytes(), ...data]);
    }
    writer.ue(macroblocks); // mb_skip_run
    writer.bit(1); // rbsp_stop_one_bit
    return escape(writer.toBytes());
  }

  #cabacData(type: 'P' | 'B', cabacInitIdc: number, qp: number, macroblocks: number): readonly number[] {
    const key = `${type} ${cabacInitIdc} ${clipQp(qp)}`;
    const skipped = this.#skipped.get(key) ?? new SkippedMacroblocks(type, cabacInitIdc, qp);
    this.#skipped.set(key, skipped);
    return skipped.data(macroblocks);
  }
}
