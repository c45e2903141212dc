import type { Edit } from './edits.js';
import type { SampleEntry } from './fmp4.js';
import type { FrameReport, ReceivedBytes } from './types.js';

/** A part of a frame that is lost and replaced by itself, as a slice: bytes `[start, end)` of the segment. */
export interface FramePart {
  readonly start: number;
  /** `[start, headerEnd)` is read by repair, and so must not be encrypted. */
  readonly headerEnd: number;
  /** `[start, reliableEnd)` must arrive, `[reliableEnd, end)` may be missing. */
  readonly reliableEnd: number;
  readonly end: number;
}

/** A frame as its codec reads it. */
export interface CodedFrame extends Pick<FrameReport, 'start' | 'bytes'> {
  /** Other frames may refer to it. */
  readonly isReference: boolean;
  readonly type: NonNullable<FrameReport['type']>;
  /** Ascending. */
  readonly parts: readonly FramePart[];
  /** What stands in for each part that is missing, ascending. */
  readonly edits: readonly Edit[];
}

/** What repair must know of a codec, for one track. All else (fragments, sizes, encryption, reports) is common to all codecs. */
export interface Codec {
  /**
   * Begins a segment whose missing bytes may have any value. The result is called for its samples `[start, end)` in decode order, and
   * gives their frames. It throws a `RepairError`: `missing-reliable-bytes` where bytes have not arrived that repair cannot do without.
   */
  reader(segment: Uint8Array, received: ReceivedBytes): (start: number, end: number) => readonly CodedFrame[];
  /** So many bytes for the end of a sample that decoders pass over; undefined: there are none of that length. */
  filler(bytes: number): Uint8Array | undefined;
}

/**
 * The codec of a track that is its own; undefined for another one.
 * Throws `RepairError` (unsupported-stream, malformed) for what it cannot repair.
 */
export type OpenCodec = (entry: SampleEntry) => Codec | undefined;
