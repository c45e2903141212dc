import type { QueuedPiece } from '../../delivery/piece-queue.js';
import { shifted, totalBytes, type ByteRange } from '../../manifest/byte-range.js';
import type { CutPiece } from '../../repair/index.js';
import type { SegmentLayout } from '../types.js';
import type { PieceSource } from './types.js';

/** A piece of a segment on demand that is not handed over yet. */
export class PendingPiece implements QueuedPiece {
  /** Places of the delivery order. */
  readonly #reliable: readonly ByteRange[];
  readonly #awaited: readonly ByteRange[];

  /** `startTime` as `QueuedPiece` has it; `notAwaited`: ranges of the file that need not be here, nor on their way. */
  constructor(
    readonly piece: CutPiece,
    readonly startTime: number,
    private readonly source: PieceSource,
    map: SegmentLayout,
    notAwaited: readonly ByteRange[],
  ) {
    const { assembly } = source;
    const places = assembly.locate(shifted(piece, map.range.start));
    const left = new Set(notAwaited.flatMap((range) => assembly.locate(range)).map(({ start }) => start));
    this.#reliable = places.filter(({ start }) => start < assembly.reliableLength);
    this.#awaited = places.filter(({ start }) => start >= assembly.reliableLength && !left.has(start));
  }

  get isPlayable(): boolean {
    return this.#isHere(this.#reliable);
  }

  get isComplete(): boolean {
    return this.isPlayable && this.#isHere(this.#awaited);
  }

  get lastChance(): number {
    return this.source.mayCome(this.#missing(this.#awaited)) ? Infinity : 0;
  }

  /** Bytes that it still waits for. */
  get bytesLeft(): number {
    const reliable = this.#missing(this.#reliable);
    const awaited = this.#missing(this.#awaited);
    return totalBytes(this.source.mayCome(awaited) ? [...reliable, ...awaited] : reliable);
  }

  #isHere(places: readonly ByteRange[]): boolean {
    return places.every(({ start, end }) => this.source.assembly.isHere(start, end));
  }

  #missing(places: readonly ByteRange[]): ByteRange[] {
    return places.flatMap(({ start, end }) => this.source.assembly.gaps(start, end));
  }
}
