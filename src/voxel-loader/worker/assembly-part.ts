import { cut, shifted, type ByteRange } from '../../manifest/byte-range.js';
import type { SegmentAssembly } from './assembly.js';
import { Concatenation } from './concatenation.js';

/** Some of an assembly's bytes as one body: places of its delivery order, one after the other. */
export class AssemblyPart {
  readonly #assembly: SegmentAssembly;
  readonly #places: Concatenation;
  /** Bytes of the body. */
  readonly length: number;
  readonly #longest: number;

  /** `places`: positions in the assembly's delivery order; `longest`: bytes of a file range at most. */
  constructor(assembly: SegmentAssembly, places: readonly ByteRange[], longest = Infinity) {
    this.#assembly = assembly;
    this.#places = new Concatenation(places);
    this.length = this.#places.length;
    this.#longest = longest;
  }

  /** The file ranges to ask for. */
  fileRanges(): ByteRange[] {
    return this.#places
      .slice(0, this.length)
      .flatMap(({ start, end }) => this.#assembly.fileRanges(start, end).flatMap((range) => cut(range, this.#longest)));
  }

  /** Whether it has any of these places of the delivery order. */
  has(places: ByteRange): boolean {
    return this.#places.locate(places).length > 0;
  }

  /** Puts bytes of the body at their place and returns how many of them are new. Throws `RangeError` beyond its end. */
  place(offset: number, payload: Uint8Array): number {
    let placed = 0;
    let fresh = 0;
    for (const { start, end } of this.#places.slice(offset, offset + payload.length)) {
      fresh += this.#assembly.place(start, payload.subarray(placed, placed + end - start));
      placed += end - start;
    }
    return fresh;
  }

  /** A copy of the body's bytes `[start, end)`; what is not here is zero. */
  read(start: number, end: number): Uint8Array {
    const bytes = new Uint8Array(end - start);
    let read = 0;
    for (const place of this.#places.slice(start, end)) {
      this.#assembly.read(place.start, bytes.subarray(read, (read += place.end - place.start)));
    }
    return bytes;
  }

  /** What of the body's bytes `[start, end)` is not here. */
  missing(start: number, end: number): ByteRange[] {
    let shift = start;
    return this.#places.slice(start, end).flatMap((place) => {
      const at = shift - place.start;
      shift += place.end - place.start;
      return this.#assembly.gaps(place.start, place.end).map((gap) => shifted(gap, at));
    });
  }

  /** The same, as positions in the delivery order. */
  gaps(start: number, end: number): ByteRange[] {
    return this.#places.slice(start, end).flatMap((place) => this.#assembly.gaps(place.start, place.end));
  }
}
