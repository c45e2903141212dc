import { cut, formatRange, type ByteRange } from '../../manifest/byte-range.js';
import type { SegmentAssembly } from './assembly.js';
import type { SessionDelivery } from '../types.js';

/** One request of a download. */
export interface PlannedRequest {
  /** Pieces of the delivery order (see `SegmentAssembly`). */
  readonly places: readonly ByteRange[];
  readonly delivery: 'stream' | 'datagrams';
}

/** What a server must take (docs/PROTOCOL.md, limits). */
export const MAX_RANGES = 4096;

/** Bytes for ranges of a head's 64 KiB: the rest is for the target, CMCD and the other fields. */
export const MAX_RANGE_FIELD_BYTES = 56 * 1024;

/**
 * Divides a download into requests, in the order in which they are to be sent: as a rule one for the reliable and one
 * for the unreliable part, or a single one when both come on a stream, so that the order of delivery holds there too. `longestRange`: bytes of a range of datagrams at most.
 */
export function planRequests(
  assembly: SegmentAssembly,
  delivery: SessionDelivery,
  longestRange = Infinity,
): PlannedRequest[] {
  const { length, reliableLength } = assembly;
  if (delivery === 'streams') return planStreams(assembly, [{ start: 0, end: length }]);
  return [
    ...planStreams(assembly, [{ start: 0, end: reliableLength }]),
    ...split(assembly, [{ start: reliableLength, end: length }], 'datagrams', longestRange),
  ];
}

/** Requests on streams, as few as the limits allow, for these places of the delivery order. */
export function planStreams(assembly: SegmentAssembly, places: readonly ByteRange[]): PlannedRequest[] {
  return split(assembly, places, 'stream');
}

/** The same for either kind. */
export function split(
  assembly: SegmentAssembly,
  places: readonly ByteRange[],
  delivery: PlannedRequest['delivery'],
  longestRange = Infinity,
): PlannedRequest[] {
  const requests: PlannedRequest[] = [];
  let taken: ByteRange[] = [];
  let ranges = 0;
  let fieldBytes = 0;
  for (const place of places) {
    let from = place.start;
    let at = from;
    for (const range of assembly.fileRanges(place.start, place.end).flatMap((one) => cut(one, longestRange))) {
      const text = formatRange(range).length + 1;
      if (ranges === MAX_RANGES || fieldBytes + text > MAX_RANGE_FIELD_BYTES) {
        if (at > from) taken.push({ start: from, end: at });
        requests.push({ places: taken, delivery });
        taken = [];
        from = at;
        ranges = 0;
        fieldBytes = 0;
      }
      ranges++;
      fieldBytes += text;
      at += range.end - range.start;
    }
    if (at > from) taken.push({ start: from, end: at });
  }
  if (taken.length > 0) requests.push({ places: taken, delivery });
  return requests;
}
