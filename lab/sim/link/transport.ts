/** How bytes travel: on streams, which repeat what is lost, or in datagrams, which do not. */
export type Delivery = 'streams' | 'datagrams';

/** Bytes sent as datagrams within one round trip, of which some will never be here. */
export interface Burst {
  /** From the first of them to the last, lost ones included: positions among all bytes of the download. */
  readonly start: number;
  readonly end: number;
  readonly lost: number;
  /** Datagrams that were lost in a row, on average. */
  readonly run: number;
}

/** Where a stream misses something: bytes that have come from there on cannot be read before it is here again. */
export interface StreamGap {
  /** Position among the bytes that arrived of this stretch. */
  readonly at: number;
  /** Seconds. */
  readonly filled: number;
}

/** What came of a stretch of a download. */
export interface Progress {
  /** Seconds: when the last of the bytes was here, or when the wait for them ended. */
  readonly time: number;
  /** Bytes that are here now. */
  readonly arrived: number;
  /** Seconds: when all of them can be used. On a stream what lies behind a gap waits for its repeat; other streams and datagrams do not. */
  readonly usable: number;
  /** In the order of their places, which is that of the repeats. */
  readonly gaps: readonly StreamGap[];
  /** Bytes of datagrams that were sent and will never be here. */
  readonly lost: number;
  /** Where they were lost, counted from the first byte of this stretch. Losses come in bursts, which hit fewer frames. */
  readonly bursts: readonly Burst[];
}

/**
 * A server behind a link, one request at a time. Times are seconds since the session's start and never go back.
 */
export interface Transport {
  /** Seconds from the latest request to its first byte on an idle link. */
  readonly latency: number;
  /** Bytes that have arrived so far. */
  readonly received: number;
  /**
   * Asks for `bytes` at `time`; what is left of the request before is cancelled. `sentAt`: the request went out before that, behind
   * the one before, whose bytes are here now.
   */
  request(time: number, bytes: number, sentAt?: number): void;
  /** Asks for so many bytes besides those of the request under way. */
  askMore(bytes: number): void;
  /** Goes on until `bytes` more have arrived or are lost, at the longest until `until`, which may be Infinity. */
  receive(bytes: number, delivery: Delivery, until: number): Progress;
}
