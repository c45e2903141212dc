import { IntervalSet } from '../manifest/interval-set.js';
import { VoxelError } from './errors.js';
import {
  decodeError,
  layoutOf,
  type DeliveredMessage,
  type ErrorMessage,
  type PageMessage,
  type RepairAbility,
  type WorkerMessage,
} from './messages.js';
import { RemoteDownload } from './remote-download.js';
import { RemoteSession, type SessionLink } from './remote-session.js';
import type { WorkerLike } from './start-worker.js';
import type {
  DeliveredSegment,
  Endpoint,
  FedDownload,
  FedRequest,
  PathReport,
  SegmentFrames,
  SegmentLayout,
  VoxelSession,
} from './types.js';

/** Milliseconds for a worker to close its sessions and end itself. */
const STOP_TIMEOUT = 1_000;

export const UNKNOWN_FRAMES: SegmentFrames = { states: [], repairedFrames: 0, repairedSlices: 0, removed: [] };

export interface WorkerClientOptions {
  readonly worker: WorkerLike;
  readonly thread: VoxelSession['thread'];
  readonly onInitialized: (representation: string, repairs: RepairAbility | ErrorMessage) => void;
  /** The worker has crashed. */
  readonly onFailed: () => void;
  /** What is known of the paths of a session that has several. */
  readonly onPaths?: ((paths: readonly PathReport[]) => void) | undefined;
}

type Message<Type extends WorkerMessage['type']> = Extract<WorkerMessage, { type: Type }>;

/** The page's end of one worker: sends it requests and hands its answers to whoever asked. */
export class WorkerClient implements SessionLink {
  readonly thread: VoxelSession['thread'];
  readonly #sessions = new Map<number, RemoteSession>();
  readonly #downloads = new Map<number, RemoteDownload>();
  readonly #inspections = new Map<number, (frames: SegmentFrames) => void>();
  /** Next ID for all workers of the page: a segment that one has kept must not be taken for one of the next. */
  static #nextId = 0;

  readonly #handlers: { readonly [Type in WorkerMessage['type']]: (message: Message<Type>) => void } = {
    started: () => undefined,
    initialized: ({ representation, repairs }) => this.options.onInitialized(representation, repairs),
    opened: ({ session }) => this.#sessions.get(session)?.onOpened(),
    closed: ({ session, error }) => {
      this.#sessions.get(session)?.end(decodeError(error));
      this.#sessions.delete(session);
    },
    paths: ({ paths }) => this.options.onPaths?.(paths),
    progress: ({ id, progress }) => this.#downloads.get(id)?.report(progress),
    piece: ({ id, piece }) => this.#downloads.get(id)?.receive(piece),
    delivered: ({ id, delivered }) => this.#take(id)?.deliver(delivered && this.#decode(delivered)),
    rejected: ({ id, error }) => this.#take(id)?.reject(decodeError(error)),
    inspected: ({ id, frames }) => {
      this.#inspections.get(id)?.(frames);
      this.#inspections.delete(id);
    },
  };

  constructor(private readonly options: WorkerClientOptions) {
    const { worker, thread, onFailed } = options;
    this.thread = thread;
    worker.onmessage = ({ data }) => (this.#handlers[data.type] as (message: WorkerMessage) => void)(data);
    worker.onerror = ({ message }) => {
      this.#end(new VoxelError('session-closed', `the worker failed: ${message}`));
      onFailed();
    };
  }

  post(message: PageMessage, transfer: Transferable[] = []): void {
    this.options.worker.postMessage(message, transfer);
  }

  nextId(): number {
    return WorkerClient.#nextId++;
  }

  register(download: RemoteDownload): void {
    this.#downloads.set(download.id, download);
  }

  expect(codec: string): void {
    this.post({ type: 'expect', codec });
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

  assemble({ map, continues, ...request }: FedRequest): FedDownload {
    const id = this.nextId();
    const download = new RemoteDownload(id, (type) => this.post({ type, id }));
    this.register(download);
    const former = continues instanceof RemoteDownload ? continues.id : undefined;
    this.post({ type: 'assemble', id, continues: former, request: { ...request, map: layoutOf(map) } });
    return Object.assign(download, {
      push: (position: number, bytes: Uint8Array<ArrayBuffer>) =>
        this.post({ type: 'feed', id, position, bytes }, [bytes.buffer]),
      end: () => this.post({ type: 'feed-end', id }),
    });
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
    for (const download of this.#downloads.values()) download.giveUp(reason);
    for (const resolve of this.#inspections.values()) resolve(UNKNOWN_FRAMES);
    setTimeout(() => this.options.worker.terminate(), STOP_TIMEOUT);
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
