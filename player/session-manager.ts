import {
  connect,
  createEndpoint,
  discoverEndpoint,
  VoxelError,
  type Endpoint,
  type VoxelSession,
} from '../src/voxel-loader/index.js';
import { describeError, PlayerError } from './errors.js';
import type { EndpointOption, SessionEvent } from './types.js';

/**
 * Milliseconds that a segment may wait for a session that is being opened, from the start of that attempt. Discovery
 * and handshake take about three round trips, while dash.js fetches the MPD and the initialization segment, so where
 * the wait is of any use it is short; with UDP blocked it is paid once per attempt.
 */
const OPENING_PATIENCE = 500;

/** Milliseconds before the next attempt after a failed one: doubled each time up to the limit. */
const FIRST_RETRY = 1_000;
const LONGEST_RETRY = 60_000;

/** Where sessions come from; tests put their own in. */
export interface SessionSource {
  locate(origin: string, signal: AbortSignal): Promise<Endpoint>;
  /** May prepare for the session while the endpoint is being located. */
  open(located: Promise<Endpoint>): Promise<VoxelSession>;
}

export function createSessionSource(endpoint: EndpointOption | undefined): SessionSource {
  return {
    async locate(origin, signal) {
      return endpoint ? createEndpoint(endpoint.url, endpoint.certificateHashes) : discoverEndpoint(origin, signal);
    },
    open: connect,
  };
}

type State =
  /** No manifest yet, or stopped. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'opening'; readonly startedAt: number; readonly ended: Promise<void> }
  | { readonly kind: 'open'; readonly session: VoxelSession }
  /** The session is gone; the next segment opens another. Servers close idle ones, and a paused player needs none. */
  | { readonly kind: 'closed' }
  /** The last attempt failed. Without a timer no attempt follows. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly timer: ReturnType<typeof setTimeout> | undefined };

/** Keeps one session with the manifest's server open in the background; playback never depends on it. */
export class SessionManager {
  readonly #source: SessionSource;
  readonly #emit: (event: SessionEvent) => void;
  #state: State = { kind: 'idle' };
  #origin = '';
  #stopped = new AbortController();
  #retry = FIRST_RETRY;

  constructor(source: SessionSource, emit: (event: SessionEvent) => void) {
    this.#source = source;
    this.#emit = emit;
  }

  /** The open one; undefined: there is none now. */
  get session(): VoxelSession | undefined {
    return this.#state.kind === 'open' ? this.#state.session : undefined;
  }

  get isOpen(): boolean {
    return this.session !== undefined;
  }

  /** Opens a session for manifests of that origin, unless that is done or under way. */
  start(origin: string): void {
    if (origin === this.#origin) return;
    this.stop();
    this.#origin = origin;
    this.#stopped = new AbortController();
    this.#retry = FIRST_RETRY;
    this.#open();
  }

  stop(): void {
    this.#stopped.abort();
    if (this.#state.kind === 'open') this.#state.session.close();
    if (this.#state.kind === 'failed') clearTimeout(this.#state.timer);
    this.#state = { kind: 'idle' };
    this.#origin = '';
  }

  /** The open session; waits shortly for one that is being opened. Rejects with `VoxelError` or `PlayerError`. */
  async ready(): Promise<VoxelSession> {
    if (this.#state.kind === 'closed') this.#open();
    if (this.#state.kind === 'opening') {
      const { startedAt, ended } = this.#state;
      await Promise.race([ended, delay(startedAt + OPENING_PATIENCE - performance.now())]);
    }
    return this.#current();
  }

  #current(): VoxelSession {
    if (this.#state.kind === 'open') return this.#state.session;
    if (this.#state.kind === 'failed') throw this.#state.error;
    throw new PlayerError('session-opening', 'the session is not open yet');
  }

  #open(): void {
    this.#state = { kind: 'opening', startedAt: performance.now(), ended: this.#attempt(this.#stopped.signal) };
  }

  async #attempt(stopped: AbortSignal): Promise<void> {
    try {
      const located = this.#source.locate(this.#origin, stopped);
      const session = await this.#source.open(located);
      if (stopped.aborted) {
        session.close();
        return;
      }
      this.#state = { kind: 'open', session };
      this.#retry = FIRST_RETRY;
      this.#emit({ state: 'opened', url: (await located).url, thread: session.thread });
      void session.closed.then((reason) => {
        if (stopped.aborted) return;
        this.#state = { kind: 'closed' };
        this.#emit({ state: 'closed', ...describeError(reason), retryIn: 0 });
      });
    } catch (error) {
      if (stopped.aborted) return;
      const retryIn = isPermanent(error) ? undefined : this.#retry;
      const timer = retryIn === undefined ? undefined : setTimeout(() => this.#open(), retryIn);
      this.#state = { kind: 'failed', error, timer };
      this.#retry = Math.min(this.#retry * 2, LONGEST_RETRY);
      this.#emit({ state: 'failed', ...describeError(error), retryIn: retryIn && retryIn / 1000 });
    }
  }
}

/** No later attempt can do better: the browser has no WebTransport, or the origin says that it has no VOXEL server. */
function isPermanent(error: unknown): boolean {
  return error instanceof VoxelError && (error.code === 'unsupported' || error.status === 404);
}

/** At once for a time in the past. */
function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
