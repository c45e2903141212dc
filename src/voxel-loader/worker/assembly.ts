import { shifted, totalBytes, type ByteRange } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import { Concatenation } from './concatenation.js';
import type { SegmentLayout } from '../types.js';

/**
 * A segment being put together. Positions given to it count in **delivery order**: all reliable ranges, then the prefix
 * of the unreliable ones that was asked for, as one concatenation; each request is for a slice of it. So one number tells
 * whether a byte is reliable, and a slice needs no map of its own.
 */
export class SegmentAssembly {
  readonly #deliveryOrder: Concatenation;
  /** Bytes asked for. */
  readonly length: number;
  readonly reliableLength: number;
  readonly #range: ByteRange;
  #bytes: Uint8Array<ArrayBuffer> | undefined;
  readonly #arrived = new IntervalSet();
  /** Reliable bytes here. */
  bytesReliable = 0;

  /** `unreliableBytes`: how much of `map.unreliable` will be asked for. Throws `RangeError` if there is less of it. */
  constructor(map: SegmentLayout, unreliableBytes: number) {
    const prefix = new Concatenation(map.unreliable).slice(0, unreliableBytes);
    this.#deliveryOrder = new Concatenation([...map.reliable, ...prefix]);
    this.length = this.#deliveryOrder.length;
    this.reliableLength = map.reliableBytes;
    this.#range = map.range;
  }

  /** The segment; what has not arrived is zero. A size that only the manifest speaks of takes no memory: it is made when bytes come. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return (this.#bytes ??= new Uint8Array(this.#range.end - this.#range.start));
  }

  /** Unreliable bytes here. */
  get bytesUnreliable(): number {
    return this.#arrived.size - this.bytesReliable;
  }

  get reliableComplete(): boolean {
    return this.bytesReliable === this.reliableLength;
  }

  /** The file ranges to ask for in order to get `[start, end)`. */
  fileRanges(start: number, end: number): ByteRange[] {
    return this.#deliveryOrder.slice(start, end);
  }

  /**
   * Puts `payload` at its place and returns how many of its bytes are new; a duplicate counts once. Throws `RangeError`
   * when it reaches beyond what was asked for.
   */
  place(offset: number, payload: Uint8Array): number {
    const end = offset + payload.length;
    let copied = 0;
    for (const piece of this.#segmentRanges(offset, end)) {
      const length = piece.end - piece.start;
      this.bytes.set(payload.subarray(copied, copied + length), piece.start);
      copied += length;
    }
    const boundary = Math.min(Math.max(this.reliableLength, offset), end);
    const newReliable = this.#arrived.add(offset, boundary);
    this.bytesReliable += newReliable;
    return newReliable + this.#arrived.add(boundary, end);
  }

  /** Positions of the delivery order where these bytes of the file stand, in the order of the file; what is not asked for is left out. */
  locate(range: ByteRange): ByteRange[] {
    return this.#deliveryOrder.locate(range);
  }

  /** Whether all bytes of these places are here. */
  isHere(start: number, end: number): boolean {
    return this.#arrived.contains(start, end);
  }

  /** Whether all of the segment's `[start, end)` is here; positions from its first byte. */
  contains(start: number, end: number): boolean {
    const places = this.locate(shifted({ start, end }, this.#range.start));
    return totalBytes(places) >= end - start && places.every((place) => this.isHere(place.start, place.end));
  }

  /** What of the segment's `[start, end)` is not here, asked for or not. */
  notHere(start: number, end: number): ByteRange[] {
    const here = new IntervalSet();
    for (const place of this.locate(shifted({ start, end }, this.#range.start))) {
      for (const part of new IntervalSet(this.gaps(place.start, place.end)).gaps(place.start, place.end)) {
        for (const range of this.#segmentRanges(part.start, part.end)) here.add(range.start, range.end);
      }
    }
    return here.gaps(start, end);
  }

  /** Puts bytes of the file where they belong, those from `position` on, and leaves out what is not asked for. */
  placeFromFile(position: number, bytes: Uint8Array): void {
    for (const { start, end } of this.locate({ start: position, end: position + bytes.length })) {
      const from = this.fileRanges(start, end)[0]!.start - position;
      this.place(start, bytes.subarray(from, from + end - start));
    }
  }

  /** Fills `target` with the bytes from `offset` on; what is not here is zero. Throws as `place` does. */
  read(offset: number, target: Uint8Array): void {
    let copied = 0;
    for (const { start, end } of this.#segmentRanges(offset, offset + target.length)) {
      target.set(this.bytes.subarray(start, end), copied);
      copied += end - start;
    }
  }

  /** What is here, as positions in the segment. */
  received(): IntervalSet {
    const received = new IntervalSet();
    for (const { start, end } of this.#arrived) {
      for (const piece of this.#segmentRanges(start, end)) received.add(piece.start, piece.end);
    }
    return received;
  }

  /** What of `[start, end)` is not here. */
  gaps(start: number, end: number): ByteRange[] {
    return this.#arrived.gaps(start, end);
  }

  /** The same, as positions in the segment. */
  missing(start: number, end: number): ByteRange[] {
    return this.gaps(start, end).flatMap((gap) => this.#segmentRanges(gap.start, gap.end));
  }

  #segmentRanges(start: number, end: number): ByteRange[] {
    return this.#deliveryOrder.slice(start, end).map((piece) => shifted(piece, -this.#range.start));
  }
}
