/** How bytes travel: on streams, which repeat what is lost, or in datagrams, which do not. */
export type Delivery = 'reliable' | 'datagrams';

/** What came of a stretch of a download. */
export interface Progress {
  /** Seconds: when the last of the bytes was here, or when the wait for them ended. */
  readonly time: number;
  /** Bytes that are here now. */
  readonly arrived: number;
  /** Bytes that were sent as datagrams and will never be here. */
  readonly lost: number;
}

/**
 * A server behind a link, one request at a time. Times are seconds since the session's start and never go back.
 */
export interface Transport {
  /** Seconds from a request to its first byte on an idle link. */
  readonly latency: number;
  /** Asks for `bytes` at `time`; what is left of the request before is cancelled. */
  request(time: number, bytes: number): void;
  /** Goes on until `bytes` more have arrived or are lost, at the longest until `until`. */
  receive(bytes: number, delivery: Delivery, until: number): Progress;
}
