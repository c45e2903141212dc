import { VoxelError } from '../../src/voxel-loader/index.js';

/** Milliseconds without a byte after which the server is asked over HTTP whether it is there. */
const SUSPICIOUS = 2_000;

/** Milliseconds that the session has after that answer: after an outage it may be about to go on, too. */
const GRACE = 1_000;

/** Milliseconds until it is asked again after a failure, which may be a matter of no time: doubled each time. */
const FIRST_RETRY = 1_000;

export const silentError = (): VoxelError =>
  new VoxelError('timeout', 'the session is silent while its server answers over HTTP');

/** Bytes that have come for all downloads of a player's sessions: while one waits for another the session is not silent. */
export interface Arrivals {
  bytes: number;
}

/** A time without a byte, in ms on the clock of `performance.now()`. */
interface Silence {
  askAt: number;
  retry: number;
  /** Infinity: there is no answer yet. */
  answeredAt: number;
}

/**
 * Tells a session whose packets are swallowed, as a firewall does from one moment to the next, from a link that is down: it is
 * silent while its server answers over HTTP. Waiting is all that can be done about the other.
 */
export class SilenceWatch {
  readonly #ask: () => Promise<unknown>;
  readonly #arrivals: Arrivals;
  #bytes = 0;
  #arrived: number;
  #silence: Silence;

  /** `ask` makes a small request over HTTP; any answer counts. `now` in ms on the clock of `performance.now()`. */
  constructor(ask: () => Promise<unknown>, arrivals: Arrivals, now: number) {
    this.#ask = ask;
    this.#arrivals = arrivals;
    this.#arrived = arrivals.bytes;
    this.#silence = silenceFrom(now);
  }

  /** Takes note of the download's bytes here by now; true when nothing more is to be expected. */
  look(bytes: number, now: number): boolean {
    this.#arrivals.bytes += bytes - this.#bytes;
    this.#bytes = bytes;
    if (this.#arrivals.bytes !== this.#arrived) {
      this.#arrived = this.#arrivals.bytes;
      this.#silence = silenceFrom(now);
    } else if (now >= this.#silence.askAt) this.#askOverHttp(this.#silence);
    return now - this.#silence.answeredAt >= GRACE;
  }

  #askOverHttp(silence: Silence): void {
    silence.askAt = Infinity;
    this.#ask().then(
      () => (silence.answeredAt = performance.now()),
      // No answer: nothing gets through. It is asked again.
      () => {
        silence.askAt = performance.now() + silence.retry;
        silence.retry *= 2;
      },
    );
  }
}

function silenceFrom(now: number): Silence {
  return { askAt: now + SUSPICIOUS, retry: FIRST_RETRY, answeredAt: Infinity };
}
