import { browserFacts, reasonAgainst } from './browser-support.js';
import { VoxelError } from './errors.js';
import { epochNow, type LivePageMessage, type LiveWorkerMessage } from './live-messages.js';
import type { Following, FollowRequest, LiveSession } from './live-types.js';
import { decodeError } from './messages.js';
import { startWorkerOr, type WorkerLike } from './start-worker.js';
import { RemoteFollowing, RemoteLiveSession } from './remote-live-session.js';
import type { Endpoint } from './types.js';

/** Milliseconds for a worker to close its sessions and end itself. */
const STOP_TIMEOUT = 1_000;

export interface LiveReceiverOptions {
  /** As in `ReceiverOptions`. */
  readonly workerUrl?: string | undefined;
  readonly withoutWorker?: (() => WorkerLike) | undefined;
}

/** Receives the live segments of one player, in a worker of its own. It starts when it is first needed, and again after a crash. */
export class LiveReceiver {
  readonly #options: LiveReceiverOptions;
  readonly #initializations = new Map<string, Uint8Array>();
  readonly #sessions = new Map<number, RemoteLiveSession>();
  readonly #following = new Map<number, RemoteFollowing>();
  #starting: Promise<WorkerLike> | undefined;
  #worker: WorkerLike | undefined;
  #thread: LiveSession['thread'] = 'worker';
  #nextId = 0;

  constructor(options: LiveReceiverOptions = {}) {
    this.#options = options;
  }

  /** Takes the initialization segment of a representation: repair needs it. */
  addInitialization(representation: string, bytes: Uint8Array): void {
    this.#initializations.set(representation, bytes);
    this.#post({ type: 'initialize', representation, bytes });
  }

  /** Whether segments of that representation can be repaired. */
  hasInitialization(representation: string): boolean {
    return this.#initializations.has(representation);
  }

  /** As `Receiver.open`. */
  async open(located: Promise<Endpoint>): Promise<LiveSession> {
    const reason = reasonAgainst(browserFacts());
    if (reason !== undefined) throw new VoxelError('unsupported', reason);
    const endpoint = await located;
    await (this.#starting ??= this.#start());
    const id = this.#nextId++;
    const session = new RemoteLiveSession({
      thread: this.#thread,
      close: () => this.#post({ type: 'close', session: id }),
      play: (playhead) => {
        const at = playhead && playhead.at - performance.now() + epochNow();
        this.#post({ type: 'play', playhead: at === undefined ? undefined : { ...playhead!, at } });
      },
      follow: (request, onChunk) => this.#follow(id, request, onChunk),
    });
    this.#sessions.set(id, session);
    this.#post({ type: 'open', session: id, endpoint });
    return session.opened;
  }

  /** Ends every session and the worker. What is asked for later starts another. */
  stop(): void {
    this.#post({ type: 'stop' });
    this.#end(new VoxelError('session-closed', 'the session was closed'));
  }

  async #start(): Promise<WorkerLike> {
    try {
      const { worker, thread } = await startWorkerOr(this.#options.withoutWorker, this.#options.workerUrl);
      this.#thread = thread;
      worker.onmessage = ({ data }: MessageEvent<LiveWorkerMessage>) => this.#receive(data);
      worker.onerror = ({ message }) => this.#end(new VoxelError('session-closed', `the worker failed: ${message}`));
      this.#worker = worker;
      for (const [representation, bytes] of this.#initializations)
        this.#post({ type: 'initialize', representation, bytes });
      return worker;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  #follow(session: number, request: FollowRequest, onChunk: RemoteFollowing['onChunk']): Following {
    const id = this.#nextId++;
    const following = new RemoteFollowing(onChunk, () => this.#post({ type: 'unfollow', id }));
    this.#following.set(id, following);
    this.#post({ type: 'follow', id, session, request });
    return following;
  }

  /** The worker of `voxel-dash/full` takes these. */
  #post(message: LivePageMessage): void {
    (this.#worker as { postMessage(message: LivePageMessage): void } | undefined)?.postMessage(message);
  }

  #receive(message: LiveWorkerMessage): void {
    switch (message.type) {
      case 'opened':
        this.#sessions.get(message.session)?.onOpened();
        return;
      case 'closed':
        this.#sessions.get(message.session)?.end(decodeError(message.error));
        this.#sessions.delete(message.session);
        return;
      case 'chunk':
        this.#following.get(message.id)?.deliver(message.chunk);
        return;
      case 'followed':
        this.#following.get(message.id)?.end(message.error && decodeError(message.error));
        this.#following.delete(message.id);
        return;
      default:
      // What other messages are about is asked of a `Receiver`.
    }
  }

  #end(reason: VoxelError): void {
    const worker = this.#worker;
    this.#worker = this.#starting = undefined;
    for (const following of this.#following.values()) following.end(reason);
    for (const session of this.#sessions.values()) session.end(reason);
    this.#following.clear();
    this.#sessions.clear();
    if (worker) setTimeout(() => worker.terminate(), STOP_TIMEOUT);
  }
}
