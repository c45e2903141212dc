import { VoxelError } from '../errors.js';
import type {
  DeliveredSegment,
  Endpoint,
  SegmentDownload,
  SegmentProgress,
  SegmentRequest,
  VoxelSession,
} from '../types.js';
import { decodeDelivered, decodeError, type PageMessage, type WorkerMessage } from './messages.js';
import type { WorkerLike } from './start-worker.js';

/** Milliseconds for a worker to close its session and end itself. */
const CLOSE_TIMEOUT = 1_000;

/** Opens a session in a worker that has been started. Rejects with `VoxelError` code `session-failed`. */
export function openWorkerSession(worker: WorkerLike, endpoint: Endpoint): Promise<VoxelSession> {
  return new Promise((resolve, reject) => {
    const session = new WorkerSession(worker);
    session.opened.then(() => resolve(session), reject);
    session.post({ type: 'open', endpoint });
  });
}

/** The page's end of a session in a worker. */
class WorkerSession implements VoxelSession {
  readonly thread = 'worker';
  readonly opened: Promise<void>;
  readonly closed: Promise<VoxelError>;
  readonly #worker: WorkerLike;
  readonly #downloads = new Map<number, WorkerDownload>();
  #nextDownload = 0;
  #onOpened!: () => void;
  #onFailed!: (error: VoxelError) => void;
  #onClosed!: (reason: VoxelError) => void;

  constructor(worker: WorkerLike) {
    this.#worker = worker;
    this.opened = new Promise((resolve, reject) => ([this.#onOpened, this.#onFailed] = [resolve, reject]));
    this.closed = new Promise((resolve) => (this.#onClosed = resolve));
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => this.#receive(data);
    worker.onerror = ({ message }) => this.#end(new VoxelError('session-closed', `the worker failed: ${message}`));
  }

  post(message: PageMessage): void {
    this.#worker.postMessage(message);
  }

  download(request: SegmentRequest): SegmentDownload {
    const id = this.#nextDownload++;
    const download = new WorkerDownload((type) => this.post({ type, id }));
    this.#downloads.set(id, download);
    // Only these: a clone of all that is known of the segment would cost more than the request.
    const { range, reliable, unreliable, reliableBytes } = request.map;
    this.post({ type: 'download', id, request: { ...request, map: { range, reliable, unreliable, reliableBytes } } });
    return download;
  }

  close(): void {
    this.post({ type: 'close' });
    this.#end(new VoxelError('session-closed', 'the session was closed'));
  }

  #receive(message: WorkerMessage): void {
    switch (message.type) {
      case 'started':
        return;
      case 'opened':
        this.#onOpened();
        return;
      case 'failed':
      case 'closed':
        this.#end(decodeError(message.error));
        return;
      case 'progress':
        this.#downloads.get(message.id)?.report(message.progress);
        return;
      case 'delivered':
        this.#take(message.id)?.resolve(decodeDelivered(message.delivered));
        return;
      case 'rejected':
        this.#take(message.id)?.reject(decodeError(message.error));
    }
  }

  #take(id: number): WorkerDownload | undefined {
    const download = this.#downloads.get(id);
    this.#downloads.delete(id);
    return download;
  }

  #end(reason: VoxelError): void {
    this.#onFailed(reason);
    this.#onClosed(reason);
    for (const id of [...this.#downloads.keys()]) this.#take(id)?.reject(reason);
    setTimeout(() => this.#worker.terminate(), CLOSE_TIMEOUT);
  }
}

/** A download in the worker, as far as the page has heard of it. */
class WorkerDownload implements SegmentDownload {
  readonly result: Promise<DeliveredSegment>;
  resolve!: (delivered: DeliveredSegment) => void;
  reject!: (error: VoxelError) => void;
  readonly #tell: (type: 'keep' | 'abort') => void;
  readonly #started = performance.now();
  #progress: SegmentProgress = {
    ...{ phase: 'reliable', bytesReliable: 0, bytesUnreliable: 0, bytesRequested: 0, elapsed: 0 },
  };

  constructor(tell: (type: 'keep' | 'abort') => void) {
    this.#tell = tell;
    this.result = new Promise((resolve, reject) => ([this.resolve, this.reject] = [resolve, reject]));
  }

  report(progress: SegmentProgress): void {
    this.#progress = progress;
  }

  progress(): SegmentProgress {
    return { ...this.#progress, elapsed: (performance.now() - this.#started) / 1000 };
  }

  keep(): boolean {
    this.#tell('keep');
    return this.#progress.phase === 'unreliable';
  }

  abort(): void {
    this.#tell('abort');
    this.reject(new VoxelError('aborted', 'the download was aborted'));
  }
}
