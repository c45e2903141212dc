import type { FrameState, SegmentRecord } from '../../player/api/types.js';
import type { ShownSegment } from './types.js';

/** What the page knows of a video beside the player's records. */
export interface Knowledge {
  /** Frames of a second. */
  readonly frameRate: number;
  /** Score of a whole segment; undefined: not known, or not yet. */
  score(representation: string, index: number): number | undefined;
}

/** What a playback shows of each segment: the latest that was delivered before it began to play. */
export class ShownSegments {
  readonly #segments = new Map<number, ShownSegment>();
  readonly #data = new Map<number, Uint8Array>();
  readonly #knowledge: Knowledge;

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge;
  }

  get all(): readonly ShownSegment[] {
    return [...this.#segments.values()].sort((a, b) => a.index - b.index).map((segment) => this.#scored(segment));
  }

  /** The segment as it was appended, where it has gaps. */
  repaired(index: number): Uint8Array | undefined {
    return this.#data.get(index);
  }

  /** `position`: where playback stands, s; what comes later for a segment that plays is not seen. */
  add(record: SegmentRecord, position: number, data?: Uint8Array): void {
    const { index, startTime, duration, representation } = record;
    if (this.#segments.has(index) && position > startTime) return;
    const frames = record.frames.length > 0 ? record.frames : wholeFrames(duration * this.#knowledge.frameRate);
    this.#segments.set(index, {
      ...{ index, startTime, duration, representation, frames },
      score: record.score,
      bytes: record.bytesReliable + record.bytesUnreliable,
    });
    const hasGaps = record.framesSkipped + record.framesRepaired > 0;
    if (data && hasGaps) this.#data.set(index, data);
    else this.#data.delete(index);
  }

  /** With the score of the whole segment, where the player does not know better. */
  #scored(segment: ShownSegment): ShownSegment {
    return segment.score === undefined
      ? { ...segment, score: this.#knowledge.score(segment.representation, segment.index) }
      : segment;
  }
}

/** Plain dash.js says nothing of frames: it has whole segments or none. */
function wholeFrames(count: number): FrameState[] {
  return Array.from({ length: Math.round(count) }, () => 'complete');
}
