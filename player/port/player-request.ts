import type { ArrivingBody } from './arriving-body.js';

/** A request of the player for a segment, which waits for an answer. */
export interface PlayerRequest {
  /** Milliseconds; 0 = none. */
  readonly timeout: number;
  /** When its bytes were asked for ahead of the player, on the clock of `performance.now()`; undefined: they were not. */
  readonly earlyAt?: number | undefined;
  /** Takes what comes early of it: whoever has taken that answers. Undefined: nothing does. */
  takeEarly?(): ArrivingBody | undefined;
  /** Calls `abort`, and no other any more, when the player does not want the segment. */
  onAbort(abort: () => void): void;
  progress(loaded: number, total: number): void;
  /**
   * Hands over a part of the segment that plays by itself after those before it; `deliver` then has the last part. Absent: the player takes
   * whole segments only.
   */
  piece?(bytes: Uint8Array<ArrayBuffer>): void;
  deliver(bytes: Uint8Array<ArrayBuffer>): void;
  /** The segment does not come after all, as after an error of the network: the player asks for it anew. */
  fail(): void;
  /** Has the player's own loader answer it. `onLoaded`: what that brings, just before the player has it. */
  loadOwn(onLoaded?: (data: unknown) => void): void;
  /** Bytes that the player's own loader has brought so far; undefined: it has not been asked, or it has ended. Absent: cannot be taken back. */
  ownLoaded?(): number | undefined;
  /** Ends that; the request waits for an answer again. */
  takeBack?(): void;
}
