import { VoxelError } from '../../../src/voxel-loader/errors.js';
import type { DeliveredSegment } from '../../../src/voxel-loader/types.js';
import { describeError } from '../../api/errors.js';
import type { EventEmitter } from '../../api/events.js';
import type { ChunkEvent, DecisionEvent, FallbackEvent, LivePluginEventMap, SegmentRecord } from '../../api/types.js';

/** A page may play for days beside a server that fails. */
const ERRORS_KEPT = 100;

/** Keeps what happened for `statistics()` and tells listeners. */
export class Journal {
  readonly errors: string[] = [];
  decisions = 0;
  fallbacks = 0;
  /** Score of the segment of video that was delivered last, or of the chunk of one. */
  score: number | undefined;
  /** Records in order of arrival; undefined until there is one. */
  readonly #segments: (SegmentRecord | undefined)[] = [];
  /** Messages of failures that are permanent. */
  readonly #told = new Set<string>();

  constructor(private readonly events: EventEmitter<LivePluginEventMap>) {}

  get segments(): SegmentRecord[] {
    return this.#segments.filter((record) => record !== undefined);
  }

  readonly decision = (event: DecisionEvent): void => {
    this.decisions++;
    this.events.emit('decision', event);
  };

  readonly chunk = (event: ChunkEvent): void => {
    if (event.mediaType === 'video') this.score = event.score;
    this.events.emit('chunk', event);
  };

  /** The order of a segment that has arrived: another may arrive and be recorded before it is. */
  arrived(): number {
    return this.#segments.push(undefined) - 1;
  }

  delivered(order: number, record: SegmentRecord, { bytes, frames }: Pick<DeliveredSegment, 'bytes' | 'frames'>): void {
    this.#segments[order] = record;
    this.score = record.score;
    const { index, representation, bytesLost } = record;
    if (bytesLost > 0) this.events.emit('lost', { index, representation, bytes: bytesLost });
    const { repairedFrames, repairedSlices } = frames;
    if (repairedFrames > 0) {
      this.events.emit('repaired', { index, representation, frames: repairedFrames, slices: repairedSlices });
    }
    this.events.emit('delivered', { record, data: bytes });
  }

  /** The segment of `former` is a better one now. */
  improved(former: SegmentRecord, record: SegmentRecord, data: Uint8Array): void {
    this.#segments[this.#segments.lastIndexOf(former)] = record;
    this.events.emit('delivered', { record, data });
  }

  notImproved(error: unknown): void {
    this.#keep(describeError(error));
  }

  /** `index` is undefined when the reason concerns the whole presentation. What is so for every segment is told once. */
  fallback(error: unknown, url: string, index: number | undefined, to: FallbackEvent['to'] = 'http'): void {
    const { code, message } = describeError(error);
    if (error instanceof VoxelError && error.permanent) {
      if (this.#told.has(message)) return;
      this.#told.add(message);
      index = undefined;
    }
    this.fallbacks++;
    this.#keep({ code, message });
    this.events.emit('fallback', { to, index, code, message, url });
  }

  #keep({ code, message }: ReturnType<typeof describeError>): void {
    this.errors.push(`${code}: ${message}`);
    if (this.errors.length > ERRORS_KEPT) this.errors.shift();
  }
}
