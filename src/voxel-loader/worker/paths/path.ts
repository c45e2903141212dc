import type { VoxelError, VoxelErrorCode } from '../../errors.js';
import type { PathEndpoint, PathReport } from '../../types.js';
import type { openSession } from '../session.js';
import type { Session } from '../types.js';
import { PathTraffic } from './path-traffic.js';

/** Milliseconds before the next attempt after a failed one: doubled each time up to the limit. A path that returns is to be used soon. */
const FIRST_RETRY = 500;
const LONGEST_RETRY = 2_000;
/** After an answer that another attempt would not change: the path has another file, or none. */
const RETRY_REFUSED = 30_000;
const REFUSALS: readonly VoxelErrorCode[] = ['status', 'unauthorized', 'file-changed', 'bad-response'];

/** Round trips that it takes to open a session: QUIC's handshake, and `CONNECT` after the server's settings. */
const OPENING_ROUND_TRIPS = 3;
/** Milliseconds, of a path that nothing is known of. */
const FIRST_ROUND_TRIP = 100;

export interface PathOptions {
  readonly open: typeof openSession;
  /** It is open, or is not any more. */
  readonly onChanged: (path: Path) => void;
}

/** One path: its session, which is opened again and again while it fails, and what is known of it. */
export class Path {
  readonly traffic = new PathTraffic();
  session: Session | undefined;
  #state: PathReport['state'] = 'opening';
  /** Why there is no session. */
  error: VoxelError | undefined;
  #retry = FIRST_RETRY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #openedIn: number | undefined;
  #startedAt = 0;
  #isStopped = false;

  constructor(
    readonly id: number,
    private readonly endpoint: PathEndpoint,
    private readonly options: PathOptions,
  ) {}

  get cost(): number {
    return this.endpoint.cost;
  }

  get isOpening(): boolean {
    return this.#state === 'opening';
  }

  /** Milliseconds: from the server once it has said so. */
  get roundTrip(): number {
    return this.session?.roundTrip ?? Math.min(this.#openedIn ?? FIRST_ROUND_TRIP, this.traffic.firstByte ?? Infinity);
  }

  /** Milliseconds until a session that is being opened is open, by expectation. */
  setup(now: number): number {
    return this.session ? 0 : Math.max(this.roundTrip, OPENING_ROUND_TRIPS * this.roundTrip - (now - this.#startedAt));
  }

  report(): PathReport {
    const { traffic, cost, error } = this;
    const { lastRate } = traffic;
    return {
      url: this.endpoint.url,
      cost,
      state: this.#state,
      bytes: traffic.bytes,
      rate: lastRate && 8 * lastRate,
      roundTrip: this.#openedIn === undefined ? undefined : this.roundTrip,
      lossRate: traffic.lossRate,
      error: error && { code: error.code, message: error.message },
    };
  }

  /** Rejects when this attempt has failed; others follow. */
  async open(): Promise<void> {
    this.#state = 'opening';
    this.#startedAt = performance.now();
    try {
      const session = await this.options.open(this.endpoint);
      if (this.#isStopped) {
        session.close();
        return;
      }
      this.#openedIn = (performance.now() - this.#startedAt) / OPENING_ROUND_TRIPS;
      this.session = session;
      this.traffic.forget();
      this.#state = 'open';
      this.error = undefined;
      void session.closed.then((reason) => this.fail(session, reason));
      this.options.onChanged(this);
    } catch (error) {
      this.#failed(error as VoxelError);
      throw error;
    }
  }

  /** Something came over it: it is worth an attempt at once when it fails. */
  arrived(bytes: number): void {
    this.traffic.arrived(bytes, performance.now());
    if (bytes > 0) this.#retry = FIRST_RETRY;
  }

  /** That session is of no use any more: another is opened later. */
  fail(session: Session, error: VoxelError): void {
    if (this.session !== session) return;
    this.session = undefined;
    session.close();
    this.#failed(error);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.session?.close();
  }

  #failed(error: VoxelError): void {
    if (this.#isStopped) return;
    this.error = error;
    this.#state = 'failed';
    this.traffic.owes(false, performance.now());
    this.#timer = setTimeout(
      () => void this.open().catch(() => undefined),
      REFUSALS.includes(error.code) ? RETRY_REFUSED : this.#retry,
    );
    this.#retry = Math.min(2 * this.#retry, LONGEST_RETRY);
    this.options.onChanged(this);
  }
}
