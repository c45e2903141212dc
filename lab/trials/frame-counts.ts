/** What partial reliability did to frames (thesis §6.6.1: frames dropped in 9 % of segments, …). */
export interface FrameCounts {
  readonly framesTotal: number;
  /** Left out on purpose. */
  readonly framesSkipped: number;
  /** Lost in part and repaired. */
  readonly framesRepaired: number;
  /** Share of segments with frames left out on purpose. */
  readonly segmentsWithDrops: number;
  /** Share of those segments in which frames were left out that others refer to; null: there are none. */
  readonly dropsWithReferences: number | null;
  /** Share of the referenced frames in those latter segments that was left out; null: there are none. */
  readonly referencesDropped: number | null;
}

/** A segment's frames in decode order: letters as in `DeliveredSegment`, and which of them others may refer to. */
export interface SegmentFrames {
  readonly frames: string;
  /** Undefined for a segment without gaps. */
  readonly references: readonly boolean[] | undefined;
}

export function countFrames(segments: readonly SegmentFrames[]): FrameCounts {
  const withDrops = segments.filter(({ frames }) => frames.includes('s'));
  const referenced = withDrops.map(referencedFrames).filter((frames) => frames.includes('s'));
  const inReferenced = referenced.join('');
  return {
    framesTotal: segments.reduce((sum, { frames }) => sum + frames.length, 0),
    framesSkipped: count(segments, 's'),
    framesRepaired: count(segments, 'x'),
    segmentsWithDrops: withDrops.length / Math.max(1, segments.length),
    dropsWithReferences: withDrops.length === 0 ? null : referenced.length / withDrops.length,
    referencesDropped: inReferenced === '' ? null : occurrences(inReferenced, 's') / inReferenced.length,
  };
}

function referencedFrames({ frames, references = [] }: SegmentFrames): string {
  return references.map((isReferenced, index) => (isReferenced ? frames[index]! : '')).join('');
}

function count(segments: readonly SegmentFrames[], letter: string): number {
  return segments.reduce((sum, { frames }) => sum + occurrences(frames, letter), 0);
}

function occurrences(text: string, letter: string): number {
  return text.split(letter).length - 1;
}
