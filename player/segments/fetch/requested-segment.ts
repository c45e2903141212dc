import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import type { Decision } from '../choose/rate-control.js';
import type { PlayerSegment } from '../../port/player-segment.js';

/** One segment with VOXEL data, and where it is. */
export interface WantedSegment {
  /** Of its file, and the fields that go with a request for it, as the player and the page have them. */
  readonly request: { readonly url: string; readonly headers?: Readonly<Record<string, string>> | undefined };
  /** Of the representation, as the receiver knows it. */
  readonly key: string;
  readonly map: SegmentMap;
  /** Of its file. */
  readonly edition: number;
  /** Undefined when the player or the user chose: then the whole segment is asked for, and there are no reviews. */
  readonly decision: Decision | undefined;
  /** The VOXEL server has the files of this origin. */
  readonly origin: string;
}

/** One that the player asked its loader for. */
export interface RequestedSegment extends WantedSegment {
  readonly fragment: PlayerSegment;
  readonly answer: PlayerRequest;
}

/** A request of the player that waits for an answer. */
export interface PlayerRequest {
  /** Milliseconds; 0 = none. */
  readonly timeout: number;
  /** When its bytes were asked for ahead of the player, on the clock of `performance.now()`; undefined: they were not. */
  readonly earlyAt?: number | undefined;
  /** Calls `abort`, and no other any more, when the player does not want the segment. */
  onAbort(abort: () => void): void;
  progress(loaded: number, total: number): void;
  deliver(bytes: Uint8Array<ArrayBuffer>): void;
  /** Has the player's own loader answer it. `onLoaded`: what that brings, just before the player has it. */
  loadOwn(onLoaded?: (data: unknown) => void): unknown;
  /** Bytes that the player's own loader has brought so far; undefined: it has not been asked, or it has ended. Absent: cannot be taken back. */
  ownLoaded?(): number | undefined;
  /** Ends that; the request waits for an answer again. */
  takeBack?(): void;
}
