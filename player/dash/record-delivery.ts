import type { RepairedSegment } from '../../src/repair/types.js';
import type { DeliveredSegment } from '../../src/voxel-loader/index.js';
import type { LoadContext, LoadJob } from './load-context.js';
import { requestTarget } from './request-target.js';
import { createSegmentRecord } from '../segment-record.js';
import type { Delivery } from '../types.js';

/** The part of a delivery that a record is made of. */
export type DeliveryFacts = Pick<
  DeliveredSegment,
  'bytes' | 'received' | 'lost' | 'bytesReliable' | 'bytesUnreliable' | 'bytesLost' | 'seconds'
> &
  Partial<Pick<DeliveredSegment, 'timeToFirstByte' | 'rtt'>>;

/**
 * Milliseconds in which dash.js appends a segment. To look through all frames of a whole one takes some, and waits for as
 * long: the viewer is waiting for the first.
 */
export const APPEND_TIME = 100;

/** How a segment was asked for. */
export interface Way {
  readonly level: number;
  readonly delivery: Delivery;
}

/** Takes note of what the next decision must know, before dash.js has the segment and may ask for another. */
export function noteDelivery(
  { throughput, loss, rateControl, retransmission }: LoadContext,
  { request }: LoadJob,
  { delivery }: Way,
  { bytesReliable, bytesUnreliable, bytesLost, seconds, timeToFirstByte, rtt }: DeliveryFacts,
): void {
  throughput.add({ bytes: bytesReliable + bytesUnreliable, seconds, timeToFirstByte });
  if (delivery === 'datagrams') loss.add({ bytesSent: bytesUnreliable + bytesLost, bytesLost });
  rateControl?.delivered(request.customData.request.index);
  retransmission?.resume(rtt);
}

/** Records what was delivered and has what is missing fetched again. */
export function recordDelivery(
  { journal, retransmission }: LoadContext,
  { request, map, key }: LoadJob,
  how: Way,
  facts: DeliveryFacts,
  repaired: RepairedSegment,
): void {
  const { index, startTime, duration, representation } = request.customData.request;
  const { bytes, received, lost, bytesReliable, bytesUnreliable, bytesLost, seconds } = facts;
  const { id, bandwidth } = representation!;
  const delivery = {
    ...{ index, startTime, duration, representation: id, bandwidth, ...how },
    ...{ received, lost, bytesReliable, bytesUnreliable, bytesLost, bytesRefetched: 0, seconds },
    map,
    frames: repaired.frames,
  };
  const record = createSegmentRecord(delivery);
  journal.delivered(record, repaired);
  const place = { index, startTime, duration, representation: representation! };
  retransmission?.hold({ place, key, target: requestTarget(request.url), bytes, delivery, record });
}
