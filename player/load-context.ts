import type { ThroughputEstimator } from '../src/abr-star/index.js';
import type { SegmentMap } from '../src/manifest/segment-map.js';
import type { RepairedSegment } from '../src/repair/types.js';
import type { DeliveredSegment } from '../src/voxel-loader/index.js';
import type { Load, LoaderRequest, LoaderResponse } from './dash-types.js';
import type { Journal } from './journal.js';
import type { Decision, RateControl } from './rate-control.js';
import type { Repairers } from './repairers.js';
import { createSegmentRecord } from './segment-record.js';
import type { SessionManager } from './session-manager.js';
import type { SegmentTransport } from './types.js';

/** What all loads of one player share. */
export interface LoadContext {
  readonly transport: SegmentTransport;
  readonly sessions: Pick<SessionManager, 'ready'>;
  readonly repairers: Repairers;
  readonly journal: Journal;
  readonly throughput: ThroughputEstimator;
  /** Undefined: dash.js' rules choose. */
  readonly rateControl: Pick<RateControl, 'review' | 'delivered'> | undefined;
  /** Seconds of video. */
  readonly bufferLevel: () => number;
}

/** One segment that dash.js asked its loader for. */
export interface LoadJob {
  readonly request: LoaderRequest;
  readonly response: LoaderResponse;
  /** dash.js' own loader. */
  readonly parentLoad: Load;
  /** Of the representation, for the repairer. */
  readonly key: string;
  readonly map: SegmentMap;
  /** Undefined when dash.js or the user chose: then the whole segment is asked for, and nobody reviews. */
  readonly decision: Decision | undefined;
  /** The VOXEL server has the files of this origin. */
  readonly origin: string;
}

/** The part of a delivery that a record is made of. */
export type DeliveryFacts = Pick<
  DeliveredSegment,
  'received' | 'lost' | 'bytesReliable' | 'bytesUnreliable' | 'bytesLost' | 'seconds'
>;

/** Takes note of a segment that dash.js is about to append. */
export function recordDelivery(
  { journal, throughput, rateControl }: LoadContext,
  { request, map }: LoadJob,
  how: { readonly level: number; readonly transport: SegmentTransport },
  facts: DeliveryFacts,
  repaired: RepairedSegment,
): void {
  const { index, startTime, duration, representation } = request.customData.request;
  throughput.add({ bytes: facts.bytesReliable + facts.bytesUnreliable, seconds: facts.seconds });
  rateControl?.delivered(index);
  const { received, lost, bytesReliable, bytesUnreliable, bytesLost, seconds } = facts;
  const { id, bandwidth } = representation!;
  const record = createSegmentRecord({
    ...{ index, startTime, duration, representation: id, bandwidth, ...how },
    ...{ received, lost, bytesReliable, bytesUnreliable, bytesLost, seconds },
    map,
    frames: repaired.frames,
  });
  journal.delivered(record, repaired);
}
