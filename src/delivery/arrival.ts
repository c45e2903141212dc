/** What is known of a path. */
export interface PathLoad {
  /** Bytes per second, of all transfers together. */
  readonly rate: number;
  /** Seconds. */
  readonly roundTrip: number;
  /** Under way on the path, and sharing its rate. */
  readonly transfers: number;
}

/** The connection that would be used. */
export interface ConnectionState {
  /** Seconds until it takes a request: the handshakes of a new one, 0 for an open one. */
  readonly setup: number;
  /** Bytes of what it carries now and that must be here before; 0: idle. */
  readonly remaining: number;
  /** Congestion window in bytes; Infinity: not in slow start. */
  readonly window: number;
}

/**
 * Seconds until `bytes` asked for over this connection are here, if nothing else is asked for: handshakes or what the
 * connection carries, one round trip, and the bytes at the path's rate, shared with the transfers under way (thesis §3.2.1).
 */
export function arrival(bytes: number, path: PathLoad, { setup, remaining, window }: ConnectionState): number {
  const isBusy = remaining > 0;
  const share = path.rate / (path.transfers + (isBusy ? 0 : 1));
  return setup + remaining / share + path.roundTrip + sendingTime(bytes, { ...path, rate: share, window });
}

interface Sending {
  readonly rate: number;
  readonly roundTrip: number;
  readonly window: number;
}

/** Seconds from the first byte to the last: in slow start a window per round trip, doubling until it reaches the rate. */
export function sendingTime(bytes: number, { rate, roundTrip, window }: Sending): number {
  let [left, current, time] = [bytes, window, 0];
  while (current < left && current < rate * roundTrip) {
    left -= current;
    current *= 2;
    time += roundTrip;
  }
  return time + left / Math.min(rate, current / roundTrip);
}
