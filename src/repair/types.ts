/** Which bytes of a segment are here; positions count from the segment's first byte. */
export interface ReceivedBytes {
  /** True when every byte of `[start, end)` has arrived. */
  contains(start: number, end: number): boolean;
}

/** What became of one frame (sample) of a segment, in decode order. */
export interface FrameReport {
  /** Position in decode order, 0-based. */
  readonly index: number;
  readonly bytes: number;
  readonly type: 'I' | 'P' | 'B';
  readonly slices: number;
  /** Slices that were incomplete and are now all-skip slices; 0 = the frame is as it was encoded. */
  readonly repairedSlices: number;
}

export interface RepairedSegment {
  /** A valid segment: the delivered bytes, with every incomplete slice replaced. */
  readonly bytes: Uint8Array;
  readonly frames: readonly FrameReport[];
}
