import type { RepairedSegment } from '../src/repair/types.js';
import type { DeliveredSegment } from '../src/voxel-loader/index.js';
import type { LoadContext, LoadJob } from './load-context.js';
import { requestTarget } from './request-target.js';
import { createSegmentRecord } from './segment-record.js';
import type { SegmentTransport } from './types.js';

/** The part of a delivery that a record is made of. */
export type DeliveryFacts = Pick<
  DeliveredSegment,
  'bytes' | 'received' | 'lost' | 'bytesReliable' | 'bytesUnreliable' | 'bytesLost' | 'seconds'
> &
  Partial<Pick<DeliveredSegment, 'timeToFirstByte' | 'rtt'>>;

/** Takes note of a segment that dash.js is about to append. */
export function recordDelivery(
  { journal, throughput, loss, rateControl, retransmission }: LoadContext,
  { request, map, key }: LoadJob,
  how: { readonly level: number; readonly transport: SegmentTransport },
  facts: DeliveryFacts,
  repaired: RepairedSegment,
): void {
  const { index, startTime, duration, representation } = request.customData.request;
  const { bytes, received, lost, bytesReliable, bytesUnreliable, bytesLost, seconds, timeToFirstByte, rtt } = facts;
  throughput.add({ bytes: bytesReliable + bytesUnreliable, seconds, timeToFirstByte });
  if (how.transport === 'datagrams') loss.add({ bytesSent: bytesUnreliable + bytesLost, bytesLost });
  rateControl?.delivered(index);
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
  retransmission?.resume({ place, key, target: requestTarget(request.url), bytes, delivery, record, rtt });
}
