import type { SegmentAssembly } from './assembly.js';
import { formatRange } from './request-head.js';
import type { SessionDelivery } from '../types.js';

/** One request of a download: bytes `[start, end)` of the delivery order (see `SegmentAssembly`). */
export interface PlannedRequest {
  readonly start: number;
  readonly end: number;
  readonly delivery: 'stream' | 'datagrams';
}

/** What a server must take (docs/PROTOCOL.md, limits). */
export const MAX_RANGES = 4096;

/** Of a head's 64 KiB: the rest is for the target, CMCD and the other fields. */
export const MAX_RANGE_FIELD_BYTES = 56 * 1024;

/**
 * Divides a download into requests, in the order in which they are to be sent: as a rule one for the reliable and one
 * for the unreliable part, or a single one when both come on a stream, so that the order of delivery holds there too.
 */
export function planRequests(assembly: SegmentAssembly, delivery: SessionDelivery): PlannedRequest[] {
  if (delivery === 'streams') return split(assembly, 0, assembly.length, 'stream');
  return [
    ...split(assembly, 0, assembly.reliableLength, 'stream'),
    ...split(assembly, assembly.reliableLength, assembly.length, 'datagrams'),
  ];
}

/** As few requests for `[start, end)` as the limits allow. */
function split(
  assembly: SegmentAssembly,
  start: number,
  end: number,
  delivery: PlannedRequest['delivery'],
): PlannedRequest[] {
  const requests: PlannedRequest[] = [];
  let from = start;
  let at = start;
  let ranges = 0;
  let fieldBytes = 0;
  for (const range of assembly.fileRanges(start, end)) {
    const text = formatRange(range).length + 1;
    if (ranges === MAX_RANGES || fieldBytes + text > MAX_RANGE_FIELD_BYTES) {
      requests.push({ start: from, end: at, delivery });
      from = at;
      ranges = 0;
      fieldBytes = 0;
    }
    ranges++;
    fieldBytes += text;
    at += range.end - range.start;
  }
  if (at > from) requests.push({ start: from, end: at, delivery });
  return requests;
}
