import { addCounts, type DeliveryCounts } from '../../src/delivery/index.js';
import { Receiver, type DeliveredChunk, type ReceiverOptions } from '../../src/voxel-loader/index.js';
import type { DashPlayer, FragmentRequest } from '../dash/dash-types.js';
import { LiveAdapter } from '../dash/live/live-adapter.js';
import { describeError } from '../errors.js';
import { EventEmitter } from '../events.js';
import { followPage } from '../network/page-lifecycle.js';
import { createSessionSource, SessionManager } from '../network/session-manager.js';
import type { FallbackEvent, FrameState, SessionEvent, VoxelOptions } from '../types.js';

/** A chunk of a live segment was handed to dash.js. */
export interface ChunkEvent
  extends
    DeliveryCounts,
    Pick<DeliveredChunk, 'number' | 'startTime' | 'duration' | 'capturedAt' | 'wholeScore' | 'score' | 'bytesUnsent'> {
  readonly mediaType: string;
  /** Number of its segment. */
  readonly index: number;
  readonly representation: string;
  /** Bit/s. */
  readonly bandwidth: number;
  readonly framesTotal: number;
  /** With at least one slice that was replaced, left out by the server or lost. */
  readonly framesRepaired: number;
  /** In decode order. */
  readonly frames: readonly FrameState[];
  /** The bytes that dash.js was handed, a fragment of its own; not to be written to. */
  readonly data: Uint8Array;
}

/** Figures of the live presentation that plays. */
export interface LiveStatistics {
  /** Handed to dash.js over the session, and those of them with frames that were replaced. */
  readonly chunks: number;
  readonly chunksRepaired: number;
  /** Bit/s; undefined: not known yet. */
  readonly rate: number | undefined;
  readonly fallbacks: number;
  readonly errors: readonly string[];
}

export interface LiveEventMap {
  chunk: ChunkEvent;
  session: SessionEvent;
  fallback: FallbackEvent;
}

/** What a build may add to live streams. */
export interface LiveAdditions extends Pick<ReceiverOptions, 'withoutWorker'> {
  /** Whether a segment's frames are one group, of which nothing is sent or used after a gap; default false. */
  readonly isGroup?: boolean;
}

/** A page may play for days beside a server that fails. */
const ERRORS_KEPT = 100;

/** The live side of a plugin: it does nothing while the presentation is none with live records. */
export class LivePlugin {
  readonly events = new EventEmitter<LiveEventMap>();
  readonly #sessions: SessionManager;
  readonly #receiver: Receiver;
  readonly #adapter: LiveAdapter;
  readonly #leavePage: () => void;
  #chunks = 0;
  #chunksRepaired = 0;
  #fallbacks = 0;
  readonly #errors: string[] = [];

  /** Call it before `player.initialize()`. */
  constructor(
    player: DashPlayer,
    { endpoint, headerHosts = [], workerUrl, abr, delivery = 'datagrams' }: VoxelOptions,
    { withoutWorker, isGroup = false }: LiveAdditions,
  ) {
    this.#receiver = new Receiver({ workerUrl, withoutWorker });
    this.#sessions = new SessionManager(createSessionSource(this.#receiver, endpoint), (event) =>
      this.events.emit('session', event),
    );
    this.#adapter = new LiveAdapter(player, {
      sessions: this.#sessions,
      receiver: this.#receiver,
      delivery,
      headerHosts,
      isGroup,
      hasRule: abr !== 'dashjs',
      onChunk: (chunk, fragment) => this.#onChunk(chunk, fragment),
      onFallback: (error, fragment) => this.#onFallback(error, fragment),
    });
    this.#leavePage = followPage(this.#sessions);
  }

  /** True while a live presentation with records plays. */
  get isLive(): boolean {
    return this.#adapter.isLive;
  }

  /** Whether its segments come over a session now. */
  get isOpen(): boolean {
    return this.#sessions.isOpen;
  }

  get statistics(): LiveStatistics {
    const { rate } = this.#adapter;
    const errors = [...this.#errors];
    return { chunks: this.#chunks, chunksRepaired: this.#chunksRepaired, rate, fallbacks: this.#fallbacks, errors };
  }

  detach(): void {
    this.#leavePage();
    this.#adapter.detach();
  }

  #onChunk(chunk: DeliveredChunk, { mediaType, index, representation }: FragmentRequest): void {
    const { repairedFrames, states } = chunk.frames;
    this.#chunks++;
    if (repairedFrames > 0) this.#chunksRepaired++;
    const { number, startTime, duration, capturedAt, wholeScore, score, bytesUnsent } = chunk;
    this.events.emit('chunk', {
      ...{ number, startTime, duration, capturedAt, wholeScore, score, bytesUnsent },
      ...addCounts(chunk),
      ...{ mediaType, index, representation: representation!.id, bandwidth: representation!.bandwidth },
      ...{ framesTotal: states.length, framesRepaired: repairedFrames, frames: states, data: chunk.bytes },
    });
  }

  #onFallback(error: unknown, { index, url }: FragmentRequest): void {
    const { code, message } = describeError(error);
    this.#fallbacks++;
    this.#errors.push(`${code}: ${message}`);
    if (this.#errors.length > ERRORS_KEPT) this.#errors.shift();
    this.events.emit('fallback', { to: 'http', index, code, message, url });
  }
}
