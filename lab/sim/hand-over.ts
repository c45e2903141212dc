import type { ByteRange } from '../../src/manifest/byte-range.js';
import { dueTime, isWaitedFor, mayBegin } from '../../src/delivery/index.js';
import { bytesLeft, type CutSegment } from './pieces.js';
import type { Playback } from './playback.js';

/** Simulated bytes are fractions of rates. */
const ROUNDING_BYTES = 0.5;

/** How far a download is. */
export interface Arrived {
  readonly reliableLeft: number;
  /** Bytes of the unreliable part that were sent, from its first one on. */
  readonly sent: number;
  /** Whether lost bytes before that place are on their way again. */
  isRepeating(end: number): boolean;
}

/** The pieces of a segment that is waited for on their way to the player, which gets them in order: the simulator's side of `PieceQueue`. */
export class HandOver {
  readonly #cut: CutSegment;
  readonly #playback: Playback;
  readonly #pieceSeconds: number;
  /** Where the last byte of each piece lies. */
  readonly #ends: readonly number[];
  #next = 0;
  #isOn = false;
  /** Ranges, in the order of the bytes, that came too late for their pieces. */
  readonly #late: ByteRange[] = [];

  constructor(cut: CutSegment, segmentDuration: number, playback: Playback) {
    this.#cut = cut;
    this.#playback = playback;
    this.#pieceSeconds = segmentDuration / cut.count;
    const ends = new Array<number>(cut.count).fill(0);
    for (const { piece, end } of cut.places) ends[piece] = Math.max(ends[piece]!, end);
    this.#ends = ends;
  }

  /** The segment is handed over in pieces. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Seconds of it that the player has. */
  get handedOver(): number {
    return this.#next * this.#pieceSeconds;
  }

  get isOver(): boolean {
    return this.#next === this.#cut.count;
  }

  get late(): readonly ByteRange[] {
    return this.#late;
  }

  /** Begins to hand over what is waited for, where the rest takes so many seconds. */
  watch(seconds: number): void {
    const { isWaiting, bufferLevel } = this.#playback;
    this.#isOn ||= isWaitedFor({ buffer: isWaiting ? undefined : bufferLevel, seconds });
  }

  /** Hands over what is complete or due. `rate`: bit/s so far. */
  look(arrived: Arrived, rate: number): void {
    if (!this.#isOn) return;
    const left = bytesLeft(this.#cut, arrived.sent + ROUNDING_BYTES);
    while (!this.isOver && this.#isReady(arrived, left, rate)) {
      if (left[this.#next]! > 0) this.#leaveOut(arrived.sent);
      this.#next++;
      this.#playback.append(this.#pieceSeconds);
    }
  }

  #isReady(arrived: Arrived, left: readonly number[], rate: number): boolean {
    if (arrived.reliableLeft > 0) return false;
    const { isWaiting, time, position, bufferLevel } = this.#playback;
    const isComplete = left[this.#next] === 0 && !arrived.isRepeating(this.#ends[this.#next]!);
    if (!isWaiting) {
      const playhead = { mediaTime: position, at: 1000 * time, rate: 1 };
      return isComplete || 1000 * time >= dueTime(position + bufferLevel, playhead);
    }
    const pieces = left
      .slice(this.#next)
      .map((bytes, index) => ({ bytesLeft: bytes, startsAfter: index * this.#pieceSeconds }));
    return isComplete && mayBegin(pieces, rate);
  }

  /** What of the next piece is not among the first `sent` bytes. */
  #leaveOut(sent: number): void {
    let before = 0;
    for (const { piece, end } of this.#cut.places) {
      if (piece === this.#next && end > sent) this.#late.push({ start: Math.round(Math.max(before, sent)), end });
      before = end;
    }
  }
}
