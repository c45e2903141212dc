import type { DeliveryCounts } from '../../src/delivery/index.js';
import type { DeliveredSegment } from './page/types.js';

/** What became of losses and of the bytes that may be lost. Shares of 1. */
export interface RecoveryCounts {
  /** Share of the bytes that need not arrive and were sent that went as datagrams; null: there are none. */
  readonly datagrams: number | null;
  /** Share of the bytes that were missing when their segment was first appended; bytes left out on purpose are none of them. */
  readonly gapsAtAppend: number;
  /** Share of the segments that were appended a second time because gaps of theirs were filled. */
  readonly appendedTwice: number;
  /** Bytes asked for twice over bytes lost on the way; null: none was lost. */
  readonly repeatedOverLost: number | null;
  /** Lost, and here before their segment was appended. */
  readonly bytesRecovered: number;
  /** Lost, and filled from parity; and the parity that came. */
  readonly bytesDecoded: number;
  readonly bytesParity: number;
  /** Parity that came and bytes asked for twice, over the bytes that were delivered. */
  readonly redundant: number;
}

type CountedSegment = Pick<DeliveredSegment, keyof DeliveryCounts | 'transport' | 'bytesRefetched' | 'firstPass'>;

export function countRecovery(segments: readonly CountedSegment[]): RecoveryCounts {
  const sum = (measure: (segment: CountedSegment) => number) =>
    segments.reduce((total, segment) => total + measure(segment), 0);
  const unreliable = sum(sentUnreliable);
  const lostAtAppend = sum(bytesLostAtAppend);
  const bytesRecovered = sum((segment) => segment.bytesRecovered);
  const bytesDecoded = sum((segment) => segment.bytesDecoded);
  const bytesParity = sum((segment) => segment.bytesParity);
  const delivered = sum(({ bytesReliable, bytesUnreliable }) => bytesReliable + bytesUnreliable);
  const lost = lostAtAppend + bytesRecovered + bytesDecoded;
  const repeated = sum((segment) => segment.bytesRepeated + refetchedLosses(segment));
  return {
    datagrams: unreliable === 0 ? null : sum(sentAsDatagrams) / unreliable,
    gapsAtAppend: lostAtAppend / Math.max(1, sum(({ bytesReliable }) => bytesReliable) + unreliable),
    appendedTwice: segments.filter(({ firstPass }) => firstPass).length / Math.max(1, segments.length),
    repeatedOverLost: lost === 0 ? null : repeated / lost,
    bytesRecovered,
    bytesDecoded,
    bytesParity,
    redundant: (bytesParity + repeated) / Math.max(1, delivered),
  };
}

function sentUnreliable({ bytesUnreliable, bytesLost }: CountedSegment): number {
  return bytesUnreliable + bytesLost;
}

/** All of a segment that travels so, but for what was left out at first and fetched later, which comes on streams. */
function sentAsDatagrams(segment: CountedSegment): number {
  if (segment.transport !== 'datagrams') return 0;
  return sentUnreliable(segment) - (segment.bytesRefetched - refetchedLosses(segment));
}

function bytesLostAtAppend({ bytesLost, firstPass }: CountedSegment): number {
  return firstPass?.bytesLost ?? bytesLost;
}

function refetchedLosses(segment: CountedSegment): number {
  return Math.max(0, bytesLostAtAppend(segment) - segment.bytesLost);
}
