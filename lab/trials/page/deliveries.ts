import type { SegmentRecord } from '../../../player/api/types.js';
import { FRAME_LETTERS, type DeliveredSegment } from './types.js';

/** When a segment was delivered. */
export interface DeliveryMoment {
  /** Seconds since the player was started. */
  readonly at: number;
  /** Media time, s. */
  readonly position: number;
  /** Over how many connections bytes have come since the delivery before; undefined where there is one. */
  readonly connections?: number;
}

/**
 * What a playback shows of each segment. A segment that is delivered again takes the place of the former while that has
 * not begun to play; later on the browser goes on with what it has until the next segment (dash.js' fast switch does that).
 */
export class Deliveries {
  readonly #segments = new Map<number, DeliveredSegment>();
  /** Bytes of the segments that came with gaps; the very arrays that dash.js appended. */
  readonly #damaged = new Map<number, Uint8Array>();

  get segments(): DeliveredSegment[] {
    return [...this.#segments.values()];
  }

  /** A segment of a live stream, which comes once. */
  addDelivered(segment: DeliveredSegment): void {
    this.#segments.set(segment.index, segment);
  }

  damaged(index: number): Uint8Array | undefined {
    return this.#damaged.get(index);
  }

  /** `data`: the segment as it was appended, where it may have gaps. Returns false when it came too late to be seen. */
  add(record: SegmentRecord, { at, position, connections }: DeliveryMoment, data?: Uint8Array): boolean {
    const { delivery, frames, score, ...rest } = record;
    if (this.#segments.has(rest.index) && position > rest.startTime) return false;
    const letters = frames.map((state) => FRAME_LETTERS[state]).join('');
    this.#segments.set(rest.index, {
      ...rest,
      transport: delivery,
      deliveredAt: at,
      estimatedScore: score ?? null,
      frames: letters,
      ...(connections !== undefined && { connections }),
    });
    this.#damaged.delete(rest.index);
    if (data && rest.framesSkipped + rest.framesRepaired > 0) this.#damaged.set(rest.index, data);
    return true;
  }
}
