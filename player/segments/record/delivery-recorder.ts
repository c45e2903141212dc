import type { LossEstimator, ThroughputEstimator } from '../../../src/abr-star/index.js';
import { addCounts, type DeliveryCounts, type PathEstimate } from '../../../src/delivery/index.js';
import type { DeliveredSegment } from '../../../src/voxel-loader/index.js';
import type { Journal } from './journal.js';
import type { RateControl } from '../choose/rate-control.js';
import type { Retransmission } from './retransmission.js';
import { createSegmentRecord } from './segment-record.js';
import type { Delivery, FallbackEvent } from '../../types.js';
import type { RequestedSegment } from '../fetch/requested-segment.js';

/** How a segment was asked for. */
export interface Asked {
  readonly level: number;
  readonly delivery: Delivery;
  /** Ahead of the player. */
  readonly early: boolean;
}

/** What a delivery says about the link. */
export type LinkFacts = DeliveryCounts &
  Pick<DeliveredSegment, 'bytesUnsent' | 'bytesMeasured' | 'seconds'> &
  Partial<Pick<DeliveredSegment, 'timeToFirstByte' | 'rtt'>>;

/** The part of a delivery that a record is made of. */
export type RecordedFacts = LinkFacts & Pick<DeliveredSegment, 'bytes' | 'frames' | 'kept' | 'received'>;

export interface RecorderOptions {
  readonly journal: Journal;
  readonly link: {
    readonly throughput: ThroughputEstimator;
    readonly loss: LossEstimator;
    readonly path: PathEstimate;
  };
  /** Undefined: the player's rules choose. */
  readonly rateControl: Pick<RateControl, 'delivered'> | undefined;
  /** Undefined: nothing is fetched again. */
  readonly retransmission: Pick<Retransmission, 'resume' | 'hold'> | undefined;
}

/** Tells everybody concerned what was delivered. */
export class DeliveryRecorder {
  readonly #options: RecorderOptions;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** True before the first delivery. */
  get isFirst(): boolean {
    return this.#options.link.throughput.throughput === undefined;
  }

  /**
   * Notes what the next decision must know, before the player has the segment and may ask for another. Returns the
   * segment's order among those that are recorded.
   */
  arrived(segment: RequestedSegment, { delivery }: Asked, facts: LinkFacts): number {
    const { bytesUnreliable, bytesLost, bytesUnsent, bytesMeasured, seconds, timeToFirstByte, rtt } = facts;
    const { journal, link, rateControl, retransmission } = this.#options;
    link.throughput.add({ bytes: bytesMeasured, seconds, timeToFirstByte });
    if (delivery !== 'http') link.loss.add({ bytesSent: bytesUnreliable + bytesLost, bytesLost, bytesUnsent });
    if (delivery === 'datagrams') link.path.add(facts);
    rateControl?.delivered(segment.fragment.index);
    retransmission?.resume(rtt);
    return journal.arrived();
  }

  /** Records what was delivered and has what is missing fetched again. */
  delivered(segment: RequestedSegment, asked: Asked, facts: RecordedFacts, order: number): void {
    const { journal, retransmission } = this.#options;
    const { index, startTime, duration, representation } = segment.fragment;
    const { received, bytesMeasured, seconds, frames, kept } = facts;
    const place = { index, startTime, duration, representation: representation! };
    const outcome = {
      ...place,
      ...asked,
      representation: representation!.id,
      bandwidth: representation!.bandwidth,
      map: segment.map,
      received,
      ...addCounts(facts),
      bytesRefetched: 0,
      bytesMeasured,
      seconds,
      frames: frames.states,
    };
    const record = createSegmentRecord(outcome);
    journal.delivered(order, record, facts);
    if (retransmission && kept) retransmission.hold({ place, kept, outcome, record });
    else kept?.release();
  }

  /** The segment takes a lower rung of the ladder than was asked for. */
  fellBack(segment: RequestedSegment, error: unknown, to: FallbackEvent['to']): void {
    this.#options.journal.fallback(error, segment.request.url, segment.fragment.index, to);
  }
}
