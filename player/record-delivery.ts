import type { RepairedSegment } from '../src/repair/types.js';
import type { DeliveredSegment } from '../src/voxel-loader/index.js';
import type { LoadContext, LoadJob } from './load-context.js';
import { createSegmentRecord } from './segment-record.js';
import type { SegmentTransport } from './types.js';

/** The part of a delivery that a record is made of. */
export type DeliveryFacts = Pick<
  DeliveredSegment,
  'received' | 'lost' | 'bytesReliable' | 'bytesUnreliable' | 'bytesLost' | 'seconds'
> & { readonly timeToFirstByte?: number };

/** Takes note of a segment that dash.js is about to append. */
export function recordDelivery(
  { journal, throughput, loss, rateControl }: LoadContext,
  { request, map }: LoadJob,
  how: { readonly level: number; readonly transport: SegmentTransport },
  facts: DeliveryFacts,
  repaired: RepairedSegment,
): void {
  const { index, startTime, duration, representation } = request.customData.request;
  const { received, lost, bytesReliable, bytesUnreliable, bytesLost, seconds, timeToFirstByte } = facts;
  throughput.add({ bytes: bytesReliable + bytesUnreliable, seconds, timeToFirstByte });
  if (how.transport === 'datagrams') loss.add({ bytesSent: bytesUnreliable + bytesLost, bytesLost });
  rateControl?.delivered(index);
  const { id, bandwidth } = representation!;
  const record = createSegmentRecord({
    ...{ index, startTime, duration, representation: id, bandwidth, ...how },
    ...{ received, lost, bytesReliable, bytesUnreliable, bytesLost, seconds },
    map,
    frames: repaired.frames,
  });
  journal.delivered(record, repaired);
}
