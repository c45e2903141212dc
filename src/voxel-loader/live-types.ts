import type { ByteRange } from '../manifest/byte-range.js';
import type { DeliveryCounts } from '../delivery/counts.js';
import type { Dispersion } from '../delivery/dispersion.js';
import type { Playhead } from '../delivery/chunk-queue.js';
import type { VoxelError } from './errors.js';
import type { SegmentFrames, SessionDelivery } from './types.js';

/** For the chunks of a live segment, as they are made. */
export interface FollowRequest {
  /** Whose initialization segment the repair needs: the name that it was given with. */
  readonly representation: string;
  /** Path and query of the segment's file on the server. */
  readonly target: string;
  /** `streams`: nothing is sent as datagrams. */
  readonly delivery: SessionDelivery;
  /** Media time of the segment's first frame, in seconds. */
  readonly startTime: number;
  /** Milliseconds that the server has for the frames of a chunk; undefined: all are sent, however late. */
  readonly deadline: number | undefined;
  /** The segment's frames are one group: once some are too late, none that follow them are sent or used. */
  readonly isGroup: boolean;
  /** Extra request headers (CMCD), sent unchanged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Those, without ports, whose server gets these headers; no other does. */
  readonly headerHosts: readonly string[];
}

/** What is known of a chunk that is handed over. */
export interface ChunkFacts extends DeliveryCounts {
  /** In its segment, from 0. */
  readonly number: number;
  /** Positions in the segment's file; the chunk handed over may have another length. */
  readonly range: ByteRange;
  /** Media time in seconds. */
  readonly startTime: number;
  readonly duration: number;
  /** When its first picture was captured, in ms since 1970. */
  readonly capturedAt: number;
  /** What of the segment's score is to be expected with all of it, with its reliable bytes alone, and as it arrived. */
  readonly wholeScore: number;
  readonly reliableScore: number;
  readonly score: number;
  /** Left out by the server for want of time. */
  readonly bytesUnsent: number;
  /** How its datagrams came; undefined: it had fewer than two. */
  readonly dispersion: Dispersion | undefined;
  /** Milliseconds from its record until it was due, as far as could be told then; undefined: nothing played. */
  readonly slack: number | undefined;
  /** Milliseconds; undefined: not known yet. */
  readonly roundTrip: number | undefined;
  /** The sender's congestion window in bytes, as it last said; undefined: not known yet. */
  readonly window: number | undefined;
}

/** A chunk that can be played: whatever is missing of it has been replaced. */
export interface DeliveredChunk extends ChunkFacts {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly frames: SegmentFrames;
}

/** A live segment on its way. */
export interface Following {
  /** Resolves after the last chunk; rejects with `VoxelError` when no more will come, or after `abort()`. */
  readonly result: Promise<void>;
  abort(): void;
}

/** A session over which live segments are followed. */
export interface LiveSession {
  /** Where it runs. */
  readonly thread: 'worker' | 'page';
  /** Resolves, never rejects, with the reason once it is gone. */
  readonly closed: Promise<VoxelError>;
  follow(request: FollowRequest, onChunk: (chunk: DeliveredChunk) => void): Following;
  /** Where playback is, on the clock of `performance.now()`: chunks are handed over by it. Undefined: nothing plays. */
  play(playhead: Playhead | undefined): void;
  close(): void;
}
