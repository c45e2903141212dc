/** Which bytes of a segment are here; positions count from the segment's first byte. */
export interface ReceivedBytes {
  /** True when every byte of `[start, end)` has arrived. */
  contains(start: number, end: number): boolean;
}

/** What became of one frame (sample) of a segment, in decode order. */
export interface FrameReport {
  /** Position in decode order, 0-based. */
  readonly index: number;
  /** Position of its first byte in the segment as delivered. */
  readonly start: number;
  /** Its size as delivered. */
  readonly bytes: number;
  /** B when any slice is B, else P when any is P, else I; undefined where missing frames are removed: samples are not parsed then. */
  readonly type: 'I' | 'P' | 'B' | undefined;
  /** 0 where samples are not parsed. */
  readonly slices: number;
  /** Slices that were incomplete and are now all-skip slices. */
  readonly repairedSlices: number;
  /** It was taken out: the picture before it is shown for longer. */
  readonly removed: boolean;
}

/** Unreliable bytes of a frame, or of a slice of one: `[start, end)` of the segment. */
interface PlannedRange {
  readonly start: number;
  readonly end: number;
}

/** A frame that is taken out where it is missing: all its bytes. */
export interface RemovableFrame extends PlannedRange {
  /** Frames without which it goes, too, by their places in the plan; all stand before it there. */
  readonly needs: readonly number[];
}

/** A frame, or a slice of one, in whose place the picture before it may be held. */
export interface HoldableFrame extends PlannedRange {
  /** How many frames in a row, up to this one, may be missing and be held; 0: another always stands in. */
  readonly reach: number;
}

/** What an index says of the repair of a segment. Without one, another frame stands in for every one that is missing. */
export type RepairPlan =
  | { readonly kind: 'remove'; readonly frames: readonly RemovableFrame[] }
  | { readonly kind: 'hold'; readonly frames: readonly HoldableFrame[] };

/** What a chunk or a piece that has been appended leaves to the next one of its representation, which cannot change it any more. */
export interface ChunkState {
  /** When its decoding ends, in the track's timescale; undefined: nothing came before, and the first sample must be there. */
  readonly decodedUntil?: number | undefined;
  /** Parts of removed samples that others need, for the next sample; a new segment needs none of them. */
  readonly carried?: readonly Uint8Array[];
  /** Frames that pieces went without, by their places in the plan: what needs them goes, too, even where they have arrived since. */
  readonly gone?: ReadonlySet<number>;
  /** How many frames in a row are held up to the end of a piece; undefined: none may be held until the next one that is complete. */
  readonly held?: number | undefined;
}

/** A part of a segment that can be appended once all before it has been: all samples before it are shown before its own. */
export interface CutPiece {
  /** Its number in its segment, from 0. */
  readonly number: number;
  /** `[start, end)` of the segment; the boxes that describe its samples may lie before it. */
  readonly start: number;
  readonly end: number;
  /** Its samples, `[from, to)` of the segment's in decode order. */
  readonly from: number;
  readonly to: number;
  /** When its first picture is shown, in seconds on the track's own time line, and how long it lasts. */
  readonly startTime: number;
  readonly duration: number;
  readonly isLast: boolean;
}

export interface RepairedSegment {
  /** A valid segment: the delivered bytes, with every incomplete frame replaced or taken out. */
  readonly bytes: Uint8Array;
  readonly frames: readonly FrameReport[];
  /** What the next chunk or piece has to know, where frames may be taken out. */
  readonly after?: ChunkState;
}

/** Repairs the segments of one representation; each codec has its own. */
export interface Repairer {
  /** Nothing stands in for a missing frame of this track: without a plan that says what may be taken out, segments must come whole. */
  readonly needsPlan: boolean;
  /** Segments of sound come whole. */
  readonly isSound: boolean;
  /**
   * Makes a valid segment of what has arrived. `segment` has its full length, with anything in its gaps; it is not
   * changed, and it is returned itself when nothing is missing. `plan`: what the segment's index says of its repair. `before`: the
   * segment is a chunk that is appended behind others, and that is left of them.
   *
   * Throws `RepairError`: the segment must then be fetched whole.
   */
  repair(segment: Uint8Array, received: ReceivedBytes, plan?: RepairPlan, before?: ChunkState): RepairedSegment;
  /**
   * Where a segment of full length can be cut into pieces of at most `seconds`, or little more where it cannot be cut there; the first is at
   * least `first` seconds long. Those that are known from the boxes that have arrived up to the first that has not: they are the first
   * ones of those with more arrived.
   *
   * Throws `RepairError` where its boxes cannot be read: it is one piece.
   */
  pieces(segment: Uint8Array, received: ReceivedBytes, seconds: number, first?: number): readonly CutPiece[];
  /**
   * Makes of a piece, as `repair` does of a segment, a segment of its own; its frames are counted and placed as in the whole segment.
   * `before`: what `after` of the piece before said, undefined for the first. Empty where nothing is left of it.
   *
   * Throws `RepairError`: what is not appended yet of the segment must then be fetched whole.
   */
  repairPiece(
    segment: Uint8Array,
    received: ReceivedBytes,
    piece: CutPiece,
    plan?: RepairPlan,
    before?: ChunkState,
  ): RepairedSegment;
}
