import {
  createEndpoint,
  deferred,
  discoverEndpoint,
  probeOrigin,
  VoxelError,
  type Ask,
  type Deferred,
  type Endpoint,
  type Receiver,
  type VoxelSession,
} from '../../src/voxel-loader/index.js';
import { describeError, PlayerError } from '../api/errors.js';
import type { Arrivals } from './silence-watch.js';
import type { EndpointOption, SessionEvent } from '../api/types.js';

/**
 * Milliseconds that a segment may wait for a session that is being opened, from the start of that attempt. Discovery
 * and handshake take about three round trips, so where the wait is of any use it is short; with UDP blocked it is paid
 * once per attempt.
 */
const OPENING_PATIENCE = 500;

/** A session that ends sooner, in milliseconds, is as good as one that could not be opened. */
const SHORT_LIFE = 5_000;

/** Milliseconds before the next attempt after a failed one: doubled each time up to the limit. */
const FIRST_RETRY = 1_000;
const LONGEST_RETRY = 60_000;

/** Where sessions come from; tests put their own in. */
export interface SessionSource {
  locate(origin: string, signal: AbortSignal): Promise<Endpoint>;
  /** May prepare for the session while the endpoint is being located, but not before `after`. */
  open(located: Promise<Endpoint>, after?: Promise<void>): Promise<VoxelSession>;
  /** Resolves when that origin answers over HTTP. */
  probe(origin: string): Promise<unknown>;
}

/** `ask`: how an origin is asked. */
export function createSessionSource(receiver: Receiver, endpoint: EndpointOption | undefined, ask: Ask): SessionSource {
  return {
    locate: async (origin, signal) =>
      endpoint
        ? createEndpoint(endpoint.url, endpoint.certificateHashes)
        : discoverEndpoint(origin, signal, undefined, ask),
    open: (located, after) => receiver.open(located, after),
    probe: (origin) => probeOrigin(origin, ask),
  };
}

type State =
  /** No manifest yet, or stopped. */
  | { readonly kind: 'idle' }
  /** `patience` resolves when a segment has waited long enough for it. */
  | { readonly kind: 'opening'; readonly ended: Promise<void>; readonly patience: Promise<void> }
  | { readonly kind: 'open'; readonly session: VoxelSession }
  /** The session is gone; the next segment opens another. Servers close idle ones, and a paused player needs none. */
  | { readonly kind: 'closed' }
  /** The last attempt failed, or its session did not last. Without a timer no attempt follows. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly timer: ReturnType<typeof setTimeout> | undefined };

/** Keeps one session with the manifest's server open in the background; playback never depends on it. */
export class SessionManager {
  /** Bytes received so far, updated by the sessions. */
  readonly arrivals: Arrivals = { bytes: 0 };
  #state: State = { kind: 'idle' };
  #origin = '';
  #stopped = new AbortController();
  #retry = FIRST_RETRY;
  /** While the page is put aside. */
  #paused: { readonly origin: string; readonly over: Deferred<void> } | undefined;

  constructor(
    private readonly source: SessionSource,
    private readonly emit: (event: SessionEvent) => void,
  ) {}

  /** The open session; undefined: there is none now. */
  get session(): VoxelSession | undefined {
    return this.#state.kind === 'open' ? this.#state.session : undefined;
  }

  get isOpen(): boolean {
    return this.session !== undefined;
  }

  get isOpening(): boolean {
    return this.#state.kind === 'opening';
  }

  /** Opens a session for manifests of that origin, unless that is done or under way; not before `after`. */
  start(origin: string, after?: Promise<void>): void {
    if (origin === this.#origin) return;
    this.stop();
    this.#origin = origin;
    this.#stopped = new AbortController();
    this.#retry = FIRST_RETRY;
    this.#open(after);
  }

  stop(): void {
    this.#paused?.over.resolve();
    this.#paused = undefined;
    this.#stopped.abort();
    if (this.#state.kind === 'open') this.#state.session.close();
    if (this.#state.kind === 'failed') clearTimeout(this.#state.timer);
    this.#state = { kind: 'idle' };
    this.#origin = '';
  }

  get isPaused(): boolean {
    return this.#paused !== undefined;
  }

  /** Closes the session for now: the page is put aside. */
  pause(): void {
    const [origin, wasOpen] = [this.#origin, this.isOpen];
    if (this.isPaused || origin === '') return;
    this.stop();
    this.#paused = { origin, over: deferred() };
    if (wasOpen) {
      this.emit({ state: 'closed', code: 'session-closed', message: 'the page was put aside', retryIn: 0 });
    }
  }

  /** The page is shown again. */
  resume(): void {
    if (this.#paused) this.start(this.#paused.origin);
  }

  /** The network is back. */
  retryNow(): void {
    if (this.#state.kind !== 'failed' || !this.#state.timer) return;
    clearTimeout(this.#state.timer);
    this.#retry = FIRST_RETRY;
    this.#open();
  }

  /**
   * The open session. Where one is being opened, a segment that is not urgent waits shortly for it; `now` does not.
   * While the page is put aside all wait. Rejects with `VoxelError` or `PlayerError`.
   */
  async ready(urgency: 'now' | 'soon'): Promise<VoxelSession> {
    await this.#paused?.over.promise;
    if (this.#state.kind === 'closed') this.#open();
    if (this.#state.kind === 'opening' && urgency === 'soon') {
      await Promise.race([this.#state.ended, this.#state.patience]);
    }
    const state = this.#state;
    if (state.kind === 'open') return state.session;
    if (state.kind === 'failed') throw state.error;
    throw new PlayerError('session-opening', 'the session is not open yet');
  }

  /** Resolves when that origin answers over HTTP. */
  probe(origin: string): Promise<unknown> {
    return this.source.probe(origin);
  }

  /** Nothing comes over that session any more, though the browser has not noticed: another is opened later. */
  abandon(session: VoxelSession, error: unknown): void {
    if (this.session !== session) return;
    this.#retryLater(error, 'closed');
    session.close();
  }

  #open(after?: Promise<void>): void {
    const { signal } = this.#stopped;
    const patience = (after ?? Promise.resolve()).then(
      () => new Promise<void>((resolve) => setTimeout(resolve, OPENING_PATIENCE)),
    );
    this.#state = { kind: 'opening', ended: this.#attempt(signal, after), patience };
  }

  async #attempt(stopped: AbortSignal, after?: Promise<void>): Promise<void> {
    try {
      const located = this.source.locate(this.#origin, stopped);
      const session = await this.source.open(located, after);
      if (stopped.aborted) {
        session.close();
        return;
      }
      this.#state = { kind: 'open', session };
      const openedAt = performance.now();
      this.emit({ state: 'opened', url: (await located).url, thread: session.thread });
      void session.closed.then((reason) => {
        if (this.session !== session) return;
        if (performance.now() - openedAt < SHORT_LIFE) this.#retryLater(reason, 'closed');
        else {
          this.#retry = FIRST_RETRY;
          this.#state = { kind: 'closed' };
          this.emit({ state: 'closed', ...describeError(reason), retryIn: 0 });
        }
      });
    } catch (error) {
      if (!stopped.aborted) this.#retryLater(error, 'failed');
    }
  }

  #retryLater(error: unknown, state: 'failed' | 'closed'): void {
    const retryIn = error instanceof VoxelError && error.permanent ? undefined : this.#retry;
    const timer = retryIn === undefined ? undefined : setTimeout(() => this.#open(), retryIn);
    this.#state = { kind: 'failed', error, timer };
    this.#retry = Math.min(this.#retry * 2, LONGEST_RETRY);
    this.emit({ state, ...describeError(error), retryIn: retryIn && retryIn / 1000 });
  }
}
