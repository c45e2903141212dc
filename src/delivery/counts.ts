/** Bytes of one delivery by what became of them. Each is a number of bytes of the media file. */
export interface DeliveryCounts {
  readonly bytesReliable: number;
  readonly bytesUnreliable: number;
  /** Sent as datagrams, not here, nor fetched again. */
  readonly bytesLost: number;
  /** Asked for a second time while the segment was on its way, because they seemed lost. */
  readonly bytesRepeated: number;
  /** Those of them that came no sooner: lost, and here all the same. */
  readonly bytesRecovered: number;
  /** Lost on the way, and filled from parity. */
  readonly bytesDecoded: number;
  /** Parity that came, in addition to all other counts. */
  readonly bytesParity: number;
}

export const NO_COUNTS: DeliveryCounts = {
  bytesReliable: 0,
  bytesUnreliable: 0,
  bytesLost: 0,
  bytesRepeated: 0,
  bytesRecovered: 0,
  bytesDecoded: 0,
  bytesParity: 0,
};

const NAMES = Object.keys(NO_COUNTS) as (keyof DeliveryCounts)[];

/** Sum of what several deliveries counted; of one, its counts alone. */
export function addCounts(...deliveries: readonly DeliveryCounts[]): DeliveryCounts {
  const sum = { ...NO_COUNTS } as Record<keyof DeliveryCounts, number>;
  for (const delivery of deliveries) for (const name of NAMES) sum[name] += delivery[name];
  return sum;
}
