import { cut, formatRange, totalBytes, type ByteRange } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import type { SegmentAssembly } from './assembly.js';
import type { SessionDelivery } from '../types.js';

/** One request of a download. */
export interface PlannedRequest {
  /** Pieces of the delivery order (see `SegmentAssembly`). */
  readonly places: readonly ByteRange[];
  readonly delivery: 'stream' | 'datagrams';
  /** Bytes of datagrams that are sent before; undefined: those between the reliable ones and its first place. */
  readonly sentBefore?: number;
}

/** What of a download goes together: its reliable bytes, then the others. Places of the delivery order. */
interface Step {
  readonly reliable: readonly ByteRange[];
  readonly unreliable: readonly ByteRange[];
}

/** What a server must take (docs/PROTOCOL.md, limits). */
export const MAX_RANGES = 4096;

/** Bytes for ranges of a head's 64 KiB: the rest is for the target, CMCD and the other fields. */
export const MAX_RANGE_FIELD_BYTES = 56 * 1024;

/**
 * Divides a download into requests, in the order in which they are to be sent: as a rule one for the reliable and one
 * for the unreliable part, or a single one when both come on a stream, so that the order of delivery holds there too. `longestRange`: bytes of a range
 * of datagrams at most. `first`: ranges of the file that go before all others, in steps: reliable bytes on a stream and then the others as
 * datagrams, after which the next step may begin.
 */
export function planRequests(
  assembly: SegmentAssembly,
  delivery: SessionDelivery,
  longestRange = Infinity,
  first: readonly (readonly ByteRange[])[] = [],
): PlannedRequest[] {
  const steps = stepsOf(assembly, first);
  if (delivery === 'streams') {
    return planStreams(assembly, joined(steps.flatMap(({ reliable, unreliable }) => [...reliable, ...unreliable])));
  }
  let sent = 0;
  return steps.flatMap(({ reliable, unreliable }) => {
    const datagrams = split(assembly, unreliable, 'datagrams', longestRange).map((planned) => {
      const sentBefore = sent;
      sent += totalBytes(planned.places);
      return steps.length > 1 ? { ...planned, sentBefore } : planned;
    });
    return [...planStreams(assembly, reliable), ...datagrams];
  });
}

/** Those steps, and the rest of the download as the last one. But for the ends, each has bytes of both kinds: one waits for the datagrams of another. */
function stepsOf(assembly: SegmentAssembly, first: readonly (readonly ByteRange[])[]): Step[] {
  const { length, reliableLength } = assembly;
  const places = first.map((ranges) => ranges.flatMap((range) => assembly.locate(range)));
  const taken = new IntervalSet(places.flat());
  places.push(taken.gaps(0, length));
  const steps: { reliable: ByteRange[]; unreliable: ByteRange[] }[] = [];
  for (const step of places) {
    const reliable = step.flatMap((one) => within(one, 0, reliableLength));
    const unreliable = step.flatMap((one) => within(one, reliableLength, length));
    const last = steps.at(-1);
    if (last && (reliable.length === 0 || last.unreliable.length === 0)) {
      last.reliable.push(...reliable);
      last.unreliable.push(...unreliable);
    } else steps.push({ reliable, unreliable });
  }
  return steps;
}

/** The same places with those as one that touch each other. */
function joined(places: readonly ByteRange[]): ByteRange[] {
  const whole: ByteRange[] = [];
  for (const place of places) {
    const last = whole.at(-1);
    if (last?.end === place.start) whole[whole.length - 1] = { start: last.start, end: place.end };
    else whole.push(place);
  }
  return whole;
}

function within({ start, end }: ByteRange, from: number, to: number): ByteRange[] {
  const part = { start: Math.max(start, from), end: Math.min(end, to) };
  return part.end > part.start ? [part] : [];
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
