import type { ChunkEvent } from '../lab/index.js';
import type { SegmentRecord } from '../player/api/types.js';
import { addCounts } from '../src/delivery/index.js';

/** What became of the chunks of video that came over the session. */
export interface ChunkCounts {
  /** Handed to dash.js. */
  readonly delivered: number;
  /** Of these, with frames that were replaced: lost on the way, or left out. */
  readonly repaired: number;
  /** Of these, with frames that the server left out because they would have come too late. */
  readonly late: number;
}

/** How a segment travels, and what is thought of the link, bit/s. */
type Circumstances = Pick<SegmentRecord, 'delivery' | 'throughput'>;

/** A live segment that is over. */
export interface LiveSegment {
  readonly record: SegmentRecord;
  /** Of its unreliable bytes, what came. */
  readonly share: number;
}

/** Counts chunks, and joins those of a segment to a record as segments on demand have. */
export class LiveSegments {
  #counts: ChunkCounts = { delivered: 0, repaired: 0, late: 0 };
  #chunks: ChunkEvent[] = [];

  get counts(): ChunkCounts {
    return this.#counts;
  }

  /** Returns the segment that is over with this chunk of the next one. */
  add(chunk: ChunkEvent, circumstances: Circumstances): LiveSegment | undefined {
    const { delivered, repaired, late } = this.#counts;
    this.#counts = {
      delivered: delivered + 1,
      repaired: repaired + (chunk.framesRepaired > 0 ? 1 : 0),
      late: late + (chunk.bytesUnsent > 0 ? 1 : 0),
    };
    const isNext = this.#chunks.length > 0 && this.#chunks[0]!.index !== chunk.index;
    const segment = isNext ? segmentOf(this.#chunks, circumstances) : undefined;
    if (isNext) this.#chunks = [];
    this.#chunks.push(chunk);
    return segment;
  }
}

function segmentOf(chunks: readonly ChunkEvent[], circumstances: Circumstances): LiveSegment {
  const total = (value: (chunk: ChunkEvent) => number) => chunks.reduce((sum, chunk) => sum + value(chunk), 0);
  const { index, startTime, representation, bandwidth } = chunks[0]!;
  const duration = total((chunk) => chunk.duration);
  const frames = chunks.flatMap((chunk) => chunk.frames);
  // Each chunk's score is the segment's without what is missing of that chunk alone.
  const wholeScore = total((chunk) => chunk.wholeScore * chunk.duration) / duration;
  const counts = addCounts(...chunks);
  const { bytesUnreliable, bytesLost } = counts;
  const unreliable = bytesUnreliable + bytesLost + total((chunk) => chunk.bytesUnsent);
  const record: SegmentRecord = {
    ...{ index, startTime, duration, representation, bandwidth, level: 0, levels: 1 },
    ...circumstances,
    early: false,
    ...counts,
    bytesRefetched: 0,
    framesTotal: frames.length,
    framesSkipped: frames.filter((state) => state === 'skipped').length,
    framesRepaired: frames.filter((state) => state === 'repaired').length,
    score: Math.max(0, wholeScore - total((chunk) => chunk.wholeScore - chunk.score)),
    seconds: duration,
    frames,
    removed: [],
  };
  return { record, share: unreliable > 0 ? bytesUnreliable / unreliable : 1 };
}
