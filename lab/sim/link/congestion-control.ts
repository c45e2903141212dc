/** A sender's congestion control, asked once in a round trip. Bytes and seconds. */
export interface CongestionControl {
  /** What is to be sent in a round trip that begins with `inFlight` bytes on their way. */
  offer(inFlight: number): number;
  /**
   * The link has carried `bytes` in the round trip that ended at `time`. `isQueueing`: that took noticeably longer than the path. `share`: of the
   * window, what there was to send.
   */
  acknowledge(bytes: number, time: number, isQueueing: boolean, share: number): void;
  /** The sender heard at `time` that `bytes` were lost. */
  reduce(time: number, bytes: number): void;
  /** It heard of them while losses do not count. */
  overlook(bytes: number): void;
  /** Nothing was sent for so long. */
  rest(seconds: number): void;
  /** Whether neither losses nor acknowledgements count until what was sent before the last reduction is acknowledged (RFC 9002 §7.3.2). */
  readonly restsInRecovery: boolean;
}

/** Packets (RFC 9002 §7.2). */
export const INITIAL_WINDOW = 10;
