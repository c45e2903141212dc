import { VoxelError } from './errors.js';
import type { DeliveredChunk, Following, LiveSession } from './live-types.js';

/** A live session in the worker. */
export class RemoteLiveSession implements LiveSession {
  /** Rejects with the reason when it could not be opened. */
  readonly opened: Promise<LiveSession>;
  readonly closed: Promise<VoxelError>;
  readonly thread: LiveSession['thread'];
  readonly follow: LiveSession['follow'];
  readonly play: LiveSession['play'];
  /** Called when the worker says so. */
  onOpened!: () => void;
  readonly #close: () => void;
  #onFailed!: (error: VoxelError) => void;
  #onClosed!: (reason: VoxelError) => void;

  constructor({ thread, close, follow, play }: Omit<LiveSession, 'closed'>) {
    this.thread = thread;
    this.#close = close;
    this.follow = follow;
    this.play = play;
    this.opened = new Promise((resolve, reject) => {
      this.onOpened = () => resolve(this);
      this.#onFailed = reject;
    });
    this.closed = new Promise((resolve) => (this.#onClosed = resolve));
  }

  close(): void {
    this.#close();
    this.end(new VoxelError('session-closed', 'the session was closed'));
  }

  /** It is gone, or could not be opened. */
  end(reason: VoxelError): void {
    this.#onFailed(reason);
    this.#onClosed(reason);
  }
}

/** A live segment that the worker follows. */
export class RemoteFollowing implements Following {
  readonly result: Promise<void>;
  readonly onChunk: (chunk: DeliveredChunk) => void;
  readonly #stop: () => void;
  #resolve!: () => void;
  #reject!: (error: VoxelError) => void;
  #hasEnded = false;

  constructor(onChunk: (chunk: DeliveredChunk) => void, stop: () => void) {
    this.onChunk = onChunk;
    this.#stop = stop;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  deliver(chunk: DeliveredChunk): void {
    if (!this.#hasEnded) this.onChunk(chunk);
  }

  /** Without a reason: the last chunk was delivered. */
  end(reason?: VoxelError): void {
    this.#hasEnded = true;
    if (reason) this.#reject(reason);
    else this.#resolve();
  }

  abort(): void {
    if (this.#hasEnded) return;
    this.#stop();
    this.end(new VoxelError('aborted', 'the download was aborted'));
  }
}
