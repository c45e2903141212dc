import type { ByteRange } from '../../manifest/byte-range.js';
import { search } from '../../manifest/search.js';

/** Byte ranges of a file put one after the other, in the order given: the body that a request for them gets. */
export class Concatenation {
  /** Start of each range in the concatenation. */
  readonly #offsets: number[] = [];
  /** The ranges by their start in the file. */
  #sorted: readonly number[] | undefined;
  /** Bytes in all of it. */
  readonly length: number;

  constructor(private readonly ranges: readonly ByteRange[]) {
    let length = 0;
    for (const { start, end } of ranges) {
      this.#offsets.push(length);
      length += end - start;
    }
    this.length = length;
  }

  /**
   * Where bytes `[start, end)` of the concatenation stand in the file: the pieces in order, one for each range touched.
   * Throws `RangeError` when they reach beyond it.
   */
  slice(start: number, end: number): ByteRange[] {
    if (!(start >= 0 && start <= end && end <= this.length)) {
      throw new RangeError(`${start}-${end} is not within ${this.length} bytes`);
    }
    const pieces: ByteRange[] = [];
    let at = start;
    const after = search(this.#offsets.length, (index) => this.#offsets[index]! > start);
    for (let index = after - 1; at < end; index++) {
      const range = this.ranges[index]!;
      const from = range.start + at - this.#offsets[index]!;
      const to = Math.min(range.end, from + end - at);
      if (to > from) pieces.push({ start: from, end: to });
      at += to - from;
    }
    return pieces;
  }

  /** Places here of the file's bytes `[start, end)`, in the order of the file, without those that are not here. Ranges must not overlap. */
  locate({ start, end }: ByteRange): ByteRange[] {
    // An empty one stands before what begins there: ends are in order, too.
    const sorted = (this.#sorted ??= [...this.ranges.keys()].sort(
      (a, b) => this.ranges[a]!.start - this.ranges[b]!.start || this.ranges[a]!.end - this.ranges[b]!.end,
    ));
    const places: ByteRange[] = [];
    let next = search(sorted.length, (index) => this.ranges[sorted[index]!]!.end > start);
    for (; next < sorted.length; next++) {
      const index = sorted[next]!;
      const range = this.ranges[index]!;
      if (range.start >= end) break;
      const shift = this.#offsets[index]! - range.start;
      const [from, to] = [Math.max(start, range.start), Math.min(end, range.end)];
      if (to > from) places.push({ start: from + shift, end: to + shift });
    }
    return places;
  }
}
