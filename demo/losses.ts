import type { SegmentRecord } from '../player/api/types.js';

/** What was lost of a segment, and what came of it, bytes of the media file. */
export interface Losses {
  /** Sent as datagrams and not here the first time, whatever was done about it. */
  readonly lost: number;
  /** Asked for again, over a stream: what was lost, and what had been left out. */
  readonly fetchedAgain: number;
  /** Filled from parity, without asking. */
  readonly decoded: number;
}

type Counted = Pick<
  SegmentRecord,
  'bytesLost' | 'bytesRecovered' | 'bytesDecoded' | 'bytesRefetched' | 'firstPass' | 'framesRepaired'
>;

export function lossesOf({ firstPass, bytesLost, bytesRecovered, bytesDecoded, bytesRefetched }: Counted): Losses {
  return {
    lost: (firstPass?.bytesLost ?? bytesLost) + bytesRecovered + bytesDecoded,
    fetchedAgain: bytesRecovered + bytesRefetched,
    decoded: bytesDecoded,
  };
}
