import type { HeldSegment } from '../../../src/delivery/index.js';
import type { ByteRange } from '../../../src/manifest/byte-range.js';
import type { IntervalSet } from '../../../src/manifest/interval-set.js';
import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import type { DeliveredSegment, KeptSegment, SegmentDownload, VoxelSession } from '../../../src/voxel-loader/index.js';
import type { BufferedSegment } from '../../port/player-segment.js';

/** A segment that the player has, with gaps. */
interface SegmentWithGaps {
  readonly place: BufferedSegment;
  readonly kept: KeptSegment;
  /** What the segment is made of, and what of it has arrived. */
  readonly outcome: Pick<HeldSegment, 'map' | 'received'>;
}

/** A segment in the buffer that becomes better with the bytes that are fetched into it. */
export class ImprovableSegment implements HeldSegment {
  readonly place: BufferedSegment;
  readonly map: SegmentMap;
  received: IntervalSet;
  round: HeldSegment['round'];
  readonly #kept: KeptSegment;
  #download: SegmentDownload | undefined;
  /** Better than what the player has. */
  #better: DeliveredSegment | undefined;
  #isAppending = false;
  #isReleased = false;

  /** `replace` puts a better one in its place; it resolves with false where that is not possible. */
  constructor(
    { place, kept, outcome: { map, received } }: SegmentWithGaps,
    private readonly replace: (better: DeliveredSegment) => Promise<boolean>,
  ) {
    this.place = place;
    this.map = map;
    this.received = received;
    this.#kept = kept;
  }

  /** Seconds on the media time line. */
  get startTime(): number {
    return this.place.startTime;
  }

  /** True when the player has all of it. */
  get isDone(): boolean {
    return !this.#better && !this.#isAppending && this.received.contains(0, this.map.range.end - this.map.range.start);
  }

  /**
   * Fetches these ranges of the media file and puts the better segment into the buffer. Rejects when the server refuses, or
   * when the segment cannot be repaired or appended.
   */
  async fetch(session: VoxelSession, ranges: readonly ByteRange[], round: HeldSegment['round']): Promise<void> {
    this.round = round;
    this.#download = session.fetchInto(this.#kept, ranges);
    const delivered = await this.#download.result;
    if (delivered.received.size > this.received.size) this.#better = delivered;
    this.received = delivered.received;
    // Until here, for the next round must not begin before this one is in the buffer.
    await this.append().finally(() => (this.round = this.#download = undefined));
    // A failed session is opened again; a request that the server refuses is not made twice.
    if (delivered.failure && !delivered.failure.fatal) throw delivered.failure;
  }

  /** Ends the request under way with what has come. */
  keep(): void {
    this.#download?.keep();
  }

  /** Puts a better segment into the buffer, if there is one and the player has the former there. */
  async append(): Promise<void> {
    const better = this.#better;
    // It may have been asked for anew meanwhile.
    if (!better || this.#isReleased) return;
    this.#better = undefined;
    this.#isAppending = true;
    const isReplaced = await this.replace(better).finally(() => (this.#isAppending = false));
    if (!isReplaced) this.#better ??= better;
  }

  release(): void {
    this.#isReleased = true;
    this.#download?.abort();
    this.#kept.release();
  }
}
