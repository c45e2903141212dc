import type { DeliveryCounts } from '../delivery/counts.js';
import type { Dispersion } from '../delivery/dispersion.js';
import type { ByteRange } from '../manifest/byte-range.js';

/**
 * What the viewer gets of one frame: `reliable` – every byte of it was among the reliable ones; `complete` – its
 * unreliable bytes all came; `skipped` – not asked for or not sent, on purpose; `repaired` – asked for and sent,
 * but arrived incomplete, or it needs such a frame and goes with it. A frame that is not here is replaced, slice by slice, by repeats of
 * its reference pictures, or taken out: then the picture before it is shown for longer.
 */
export type FrameState = 'reliable' | 'complete' | 'skipped' | 'repaired';

/** What became of a segment's frames. */
export interface SegmentFrames {
  /** States in decode order; empty where the make-up of the segment is unknown. */
  readonly states: readonly FrameState[];
  /** Frames that are not here as they were encoded, skipped on purpose or lost: replaced or taken out, and how many slices were replaced. */
  readonly repairedFrames: number;
  readonly repairedSlices: number;
  /** Places, in decode order, of those that were taken out: the picture before them is shown for longer. */
  readonly removed: readonly number[];
}

/**
 * A part of a segment that plays once what comes before it is there: a fragment of its own, `moof` and `mdat`. A segment is a
 * sequence of pieces, each due when playback reaches it (`dueTime`): of a live one they are still being made, as the encoder's
 * chunks; of one on demand all are there.
 */
export interface Piece {
  /** Its number in its segment, from 0. */
  readonly number: number;
  /** Positions in the segment's file; the piece handed over may have another length. */
  readonly range: ByteRange;
  /** Media time in seconds. */
  readonly startTime: number;
  readonly duration: number;
}

/** A piece that can be played: whatever is missing of it has been replaced. */
export interface DeliveredPiece extends Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly frames: SegmentFrames;
}

/** What is known of a chunk that is handed over. */
export interface ChunkFacts extends Piece, DeliveryCounts {
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

/** A piece of a live segment. */
export interface DeliveredChunk extends DeliveredPiece, ChunkFacts {}
