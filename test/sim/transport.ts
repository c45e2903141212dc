/** How bytes travel: on streams, which repeat what is lost, or in datagrams, which do not. */
export type Delivery = 'streams' | 'datagrams';

/** Datagrams that were sent and will never be here. They go in bursts, which hit fewer frames than as many single losses. */
export interface Loss {
  /** Bytes lost. */
  readonly bytes: number;
  /** Bytes sent, lost ones included, in the round trips in which some were lost, and how many round trips those were. */
  readonly burstBytes: number;
  readonly bursts: number;
}

export const NO_LOSS: Loss = { bytes: 0, burstBytes: 0, bursts: 0 };

/** What came of a stretch of a download. */
export interface Progress {
  /** Seconds: when the last of the bytes was here, or when the wait for them ended. */
  readonly time: number;
  /** Bytes that are here now. */
  readonly arrived: number;
  readonly lost: Loss;
}

/**
 * A server behind a link, one request at a time. Times are seconds since the session's start and never go back.
 */
export interface Transport {
  /** Seconds from a request to its first byte on an idle link. */
  readonly latency: number;
  /** Asks for `bytes` at `time`; what is left of the request before is cancelled. */
  request(time: number, bytes: number): void;
  /** Goes on until `bytes` more have arrived or are lost, at the longest until `until`, which may be Infinity. */
  receive(bytes: number, delivery: Delivery, until: number): Progress;
}
