import { BitReader, BitWriter, escape } from './bits.js';
import { skippedMacroblocks } from './cabac.js';
import type { SliceHeader } from './slice-header.js';

/** Slices of a stream are alike: this many hold every combination of type, quantiser and size that it has. */
const MAX_REMEMBERED = 4096;

/** Makes all-skip slices: what stands in for a slice that is not complete. */
export class SkipSliceWriter {
  readonly #remembered = new Map<string, readonly number[]>();

  /**
   * A slice NAL unit with `nal`'s own header in which all `macroblocks` ≥ 1 are skipped (P_Skip, B_Skip).
   * Reads only the first `header.headerBytes` bytes of `nal`. I slices have no skipped macroblocks: `RangeError`.
   */
  write(nal: Uint8Array, header: SliceHeader, macroblocks: number): Uint8Array {
    if (header.type === 'I') throw new RangeError('an I slice cannot be skipped');
    const reader = new BitReader(nal);
    const writer = new BitWriter();
    for (let bit = 0; bit < header.headerBits; bit++) writer.bit(reader.bit());
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
    const key = `${type} ${cabacInitIdc} ${qp} ${macroblocks}`;
    let data = this.#remembered.get(key);
    if (!data) {
      if (this.#remembered.size === MAX_REMEMBERED) this.#remembered.clear();
      data = skippedMacroblocks(type, cabacInitIdc, qp, macroblocks);
      this.#remembered.set(key, data);
    }
    return data;
  }
}
