import type { LossEstimator, ThroughputEstimator, ThroughputSample } from '../../../src/abr-star/index.js';
import { addCounts, NO_COUNTS, type DeliveryCounts, type PathEstimate } from '../../../src/delivery/index.js';
import { totalBytes } from '../../../src/manifest/byte-range.js';
import { IntervalSet } from '../../../src/manifest/interval-set.js';
import type { SegmentMap } from '../../../src/manifest/segment-map.js';
import type { DeliveredSegment, Receiver } from '../../../src/voxel-loader/index.js';
import type { LoadedHow } from '../../port/arriving-body.js';
import type { PlayerSegment } from '../../port/player-segment.js';
import type { Delivery, FallbackEvent } from '../../api/types.js';
import type { RateControl } from '../choose/rate-control.js';
import type { Journal } from './journal.js';
import type { Retransmission } from './retransmission.js';
import { createSegmentRecord } from './segment-record.js';

/**
 * Milliseconds in which a player appends a segment. To look through its frames takes some, and waits for as long: the
 * viewer is waiting for the first.
 */
const APPEND_TIME = 100;

/** A segment that the player asked for. */
export interface RecordedSegment {
  readonly fragment: PlayerSegment;
  readonly request: { readonly url: string };
  /** Name of the representation, as the receiver knows it. */
  readonly key: string;
  readonly map: SegmentMap;
}

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

export interface RecorderCollaborators {
  readonly journal: Journal;
  readonly link: {
    readonly throughput: ThroughputEstimator;
    readonly loss: LossEstimator;
    readonly path: PathEstimate;
  };
  readonly receiver: Pick<Receiver, 'inspect'>;
  /** Undefined: the player's rules choose. */
  readonly rateControl: Pick<RateControl, 'delivered'> | undefined;
  /** Undefined: nothing is fetched again. */
  readonly retransmission: Pick<Retransmission, 'suspend' | 'resume' | 'hold'> | undefined;
}

/** Updates estimators, rule, journal and retransmission after a delivery. */
export class DeliveryRecorder {
  constructor(private readonly collaborators: RecorderCollaborators) {}

  /** True before the first delivery. */
  get isFirst(): boolean {
    return this.collaborators.link.throughput.throughput === undefined;
  }

  /** A segment is asked for: until one has arrived the link is for that. */
  asked({ startTime }: Pick<PlayerSegment, 'startTime'>): void {
    this.collaborators.retransmission?.suspend(startTime);
  }

  /** The segment takes a lower rung of the ladder than was asked for. */
  fellBack(
    { fragment, request }: Pick<RecordedSegment, 'fragment' | 'request'>,
    error: unknown,
    to: FallbackEvent['to'] = 'http',
  ): void {
    this.collaborators.journal.fallback(error, request.url, fragment.index, to);
  }

  /**
   * Notes what the next decision must know, before the player has the segment and may ask for another. Returns the
   * segment's order among those that are recorded. `shown`: what it shows of the link, where that is not in the facts.
   */
  arrived({ fragment }: RecordedSegment, { delivery }: Asked, facts: LinkFacts, shown?: ThroughputSample): number {
    const { bytesUnreliable, bytesLost, bytesUnsent, bytesMeasured, seconds, timeToFirstByte, rtt } = facts;
    const { journal, link, rateControl, retransmission } = this.collaborators;
    link.throughput.add(shown ?? { bytes: bytesMeasured, seconds, timeToFirstByte });
    if (delivery !== 'http') link.loss.add({ bytesSent: bytesUnreliable + bytesLost, bytesLost, bytesUnsent });
    if (delivery === 'datagrams') link.path.add(facts);
    rateControl?.delivered(fragment.index);
    retransmission?.resume(rtt);
    return journal.arrived();
  }

  /** Records what was delivered and has what is missing fetched again. */
  delivered({ fragment, map }: RecordedSegment, asked: Asked, facts: RecordedFacts, order: number): void {
    const { journal, retransmission } = this.collaborators;
    const { index, startTime, duration } = fragment;
    const representation = fragment.representation!;
    const { received, bytesMeasured, seconds, frames, kept } = facts;
    const outcome = {
      ...{ index, startTime, duration, map, received, bytesMeasured, seconds },
      ...asked,
      ...addCounts(facts),
      bytesRefetched: 0,
      representation: representation.id,
      bandwidth: representation.bandwidth,
      frames: frames.states,
      removed: frames.removed,
    };
    const record = createSegmentRecord(outcome);
    journal.delivered(order, record, facts);
    const place = { index, startTime, duration, representation };
    if (retransmission && kept) retransmission.hold({ place, kept, outcome, record });
    else kept?.release();
  }

  /** Records what HTTP has brought, if that is the whole segment; the player is about to have it. */
  loaded(segment: RecordedSegment, data: unknown, { seconds, shown, early }: LoadedHow): void {
    const { map, key } = segment;
    if (!(data instanceof ArrayBuffer) || data.byteLength !== map.range.end - map.range.start) return;
    const bytes = new Uint8Array(data);
    const asked = { level: map.steps.length - 1, delivery: 'http', early } as const;
    const facts = {
      ...NO_COUNTS,
      bytesReliable: map.reliableBytes,
      bytesUnreliable: totalBytes(map.unreliable),
      bytesUnsent: 0,
      bytesMeasured: bytes.length,
      seconds,
    };
    const order = this.arrived(segment, asked, facts, shown);
    const received = new IntervalSet([{ start: 0, end: bytes.length }]);
    const inspect = async (): Promise<void> => {
      const frames = await this.collaborators.receiver.inspect(key, map, bytes);
      this.delivered(segment, asked, { ...facts, bytes, received, frames, kept: undefined }, order);
    };
    setTimeout(() => void inspect(), APPEND_TIME);
  }
}
