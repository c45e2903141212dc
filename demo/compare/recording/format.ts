import type { CompareReport } from '../voxel-compare.js';
import type { LaneId, LinkMoment, Moment, Rung, ShownSegment } from '../types.js';

/** Of this format; a page plays its own alone. */
export const VERSION = 1;

/** Bytes of a file. */
export interface Piece {
  readonly offset: number;
  readonly length: number;
}

/** Bytes that were appended at a time, s since the start. */
export interface RecordedAppend extends Piece {
  readonly at: number;
}

export interface RecordedLane {
  readonly id: LaneId;
  /** All that was appended, one after the other. */
  readonly file: string;
  /** Of the source buffer. */
  readonly mimeType: string;
  readonly appends: readonly RecordedAppend[];
  /** `[at, position, waited]` */
  readonly moments: readonly (readonly [number, number, number])[];
  readonly segments: readonly RecordedSegment[];
}

export interface RecordedSegment extends Omit<ShownSegment, 'frames'> {
  /** In decode order: r reliable, c complete, s skipped, x repaired. */
  readonly frames: string;
  /** In the file of pictures: as it was encoded, and as it was shown where that differs. */
  readonly original: Piece;
  readonly repaired: Piece | undefined;
}

/** `run.json`: a comparison that was recorded, beside files with the bytes. */
export interface Recording {
  readonly version: typeof VERSION;
  readonly report: CompareReport;
  readonly segmentDuration: number;
  readonly ladder: readonly Rung[];
  readonly lanes: readonly RecordedLane[];
  readonly link: readonly LinkMoment[];
  /** The file with segments for a closer look, and in it the initialization of each representation. */
  readonly pictures: { readonly file: string; readonly initializations: Readonly<Record<string, Piece>> };
}

/** Throws an error for a recording of another format. */
export function readRecording(value: unknown): Recording {
  const { version } = value as Partial<Recording>;
  if (version !== VERSION) throw new Error(`this page plays format ${VERSION}, the recording has ${String(version)}`);
  return value as Recording;
}

export function toMoments(recorded: RecordedLane['moments']): Moment[] {
  return recorded.map(([at, position, waited]) => ({ at, position, waited }));
}
