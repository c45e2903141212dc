import { IntervalSet } from '../manifest/interval-set.js';
import { VoxelError } from './errors.js';
import { decodeError, type DeliveredMessage, type PageMessage, type WorkerMessage } from './messages.js';
import type { RemoteDownload } from './remote-download.js';
import { RemoteSession, type SessionLink } from './remote-session.js';
import { layoutOf } from './segment-layout.js';
import type { WorkerLike } from './start-worker.js';
import type { DeliveredSegment, Endpoint, PathReport, SegmentFrames, SegmentLayout, VoxelSession } from './types.js';

/** Milliseconds for a worker to close its sessions and end itself. */
const STOP_TIMEOUT = 1_000;

export const UNKNOWN_FRAMES: SegmentFrames = { states: [], repairedFrames: 0, repairedSlices: 0 };

export interface WorkerClientOptions {
  readonly worker: WorkerLike;
  readonly thread: VoxelSession['thread'];
  readonly onInitialized: (representation: string, canRepair: boolean) => void;
  /** The worker has crashed. */
  readonly onFailed: () => void;
  /** What is known of the paths of a session that has several. */
  readonly onPaths?: ((paths: readonly PathReport[]) => void) | undefined;
}

/** The page's end of one worker: sends it requests and hands its answers to whoever asked. */
export class WorkerClient implements SessionLink {
  readonly thread: VoxelSession['thread'];
  readonly #worker: WorkerLike;
  readonly #onInitialized: WorkerClientOptions['onInitialized'];
  readonly #onPaths: WorkerClientOptions['onPaths'];
  readonly #sessions = new Map<number, RemoteSession>();
  readonly #downloads = new Map<number, RemoteDownload>();
  readonly #inspections = new Map<number, (frames: SegmentFrames) => void>();
  /** Next ID for all workers of the page: a segment that one has kept must not be taken for one of the next. */
  static #nextId = 0;

  constructor({ worker, thread, onInitialized, onFailed, onPaths }: WorkerClientOptions) {
    this.#worker = worker;
    this.thread = thread;
    this.#onInitialized = onInitialized;
    this.#onPaths = onPaths;
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => this.#receive(data);
    worker.onerror = ({ message }) => {
      this.#end(new VoxelError('session-closed', `the worker failed: ${message}`));
      onFailed();
    };
  }

  post(message: PageMessage): void {
    this.#worker.postMessage(message);
  }

  register(download: RemoteDownload): number {
    const id = WorkerClient.#nextId++;
    this.#downloads.set(id, download);
    return id;
  }

  initialize(representation: string, bytes: Uint8Array): void {
    this.post({ type: 'initialize', representation, bytes });
  }

  /** Rejects with `VoxelError` code `session-failed`. */
  open(endpoint: Endpoint): Promise<VoxelSession> {
    const session = new RemoteSession(WorkerClient.#nextId++, this);
    this.#sessions.set(session.id, session);
    this.post({ type: 'open', session: session.id, endpoint });
    return session.opened;
  }

  inspect(representation: string, map: SegmentLayout, bytes: Uint8Array): Promise<SegmentFrames> {
    const id = WorkerClient.#nextId++;
    return new Promise((resolve) => {
      this.#inspections.set(id, resolve);
      this.post({ type: 'inspect', id, representation, map: layoutOf(map), bytes });
    });
  }

  /** Ends every session and the worker. */
  stop(): void {
    this.post({ type: 'stop' });
    this.#end(new VoxelError('session-closed', 'the session was closed'));
  }

  #end(reason: VoxelError): void {
    for (const session of this.#sessions.values()) session.end(reason);
    for (const resolve of this.#inspections.values()) resolve(UNKNOWN_FRAMES);
    setTimeout(() => this.#worker.terminate(), STOP_TIMEOUT);
  }

  #receive(message: WorkerMessage): void {
    switch (message.type) {
      case 'started':
        return;
      case 'initialized':
        this.#onInitialized(message.representation, message.canRepair);
        return;
      case 'opened':
        this.#sessions.get(message.session)?.onOpened();
        return;
      case 'closed':
        this.#sessions.get(message.session)?.end(decodeError(message.error));
        this.#sessions.delete(message.session);
        return;
      case 'paths':
        this.#onPaths?.(message.paths);
        return;
      case 'progress':
        this.#downloads.get(message.id)?.report(message.progress);
        return;
      case 'piece':
        this.#downloads.get(message.id)?.handOver(message.piece);
        return;
      case 'delivered':
        this.#take(message.id)?.deliver(message.delivered && this.#decode(message.delivered));
        return;
      case 'rejected':
        this.#take(message.id)?.reject(decodeError(message.error));
        return;
      case 'inspected':
        this.#inspections.get(message.id)?.(message.frames);
        this.#inspections.delete(message.id);
    }
  }

  #take(id: number): RemoteDownload | undefined {
    const download = this.#downloads.get(id);
    this.#downloads.delete(id);
    return download;
  }

  #decode({ received, failure, kept, ...delivered }: DeliveredMessage): DeliveredSegment {
    return {
      ...delivered,
      received: new IntervalSet(received),
      failure: failure && decodeError(failure),
      kept: kept === undefined ? undefined : { id: kept, release: () => this.post({ type: 'release', id: kept }) },
    };
  }
}
