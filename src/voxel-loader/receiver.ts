import { browserFacts, reasonAgainst } from './browser-support.js';
import { deferred, type Deferred } from './deferred.js';
import { VoxelError } from './errors.js';
import { decodeError, type ErrorMessage, type RepairAbility } from './messages.js';
import { startWorkerOr, type WorkerLike } from './start-worker.js';
import type { Endpoint, FedDownload, FedRequest, SegmentFrames, SegmentLayout, VoxelSession } from './types.js';
import { UNKNOWN_FRAMES, WorkerClient, type WorkerClientOptions } from './worker-client.js';

/** An initialization segment, and which segments the worker can repair with it, or why it cannot tell. */
interface Initialization {
  readonly bytes: Uint8Array;
  readonly repairs: Deferred<RepairAbility | ErrorMessage>;
}

export interface ReceiverOptions {
  /** The worker's own file, for pages that allow no worker from a Blob URL. */
  readonly workerUrl?: string | undefined;
  /** Runs the worker's program on pages that can have no worker. */
  readonly withoutWorker?: (() => WorkerLike) | undefined;
  readonly onPaths?: WorkerClientOptions['onPaths'];
}

/**
 * Receives the segments of one player: in a worker, where all its sessions run and segments are put together and repaired.
 * The worker starts when it is first needed, and again after a crash.
 */
export class Receiver {
  readonly #initializations = new Map<string, Initialization>();
  readonly #codecs = new Set<string>();
  #starting: Promise<WorkerClient> | undefined;
  #client: WorkerClient | undefined;
  /** Counts the workers that have ended. */
  #generation = 0;
  #isClosed = false;
  /** Settled once what the page brings has been put together. */
  #fed: Promise<unknown> = Promise.resolve();
  /** The worker does not start before that. */
  #after: Promise<void> | undefined;

  constructor(private readonly options: ReceiverOptions = {}) {}

  /** Says that an initialization segment of a track of that codec (RFC 6381; of encrypted video `encv`) is on its way: what its repair needs loads meanwhile. */
  expect(codec: string): void {
    if (this.#codecs.has(codec)) return;
    this.#codecs.add(codec);
    this.#client?.expect(codec);
  }

  /** Takes the initialization segment of a representation: repair needs it. */
  addInitialization(representation: string, bytes: Uint8Array): void {
    const repairs = deferred<RepairAbility | ErrorMessage>();
    // The worker's answer may be under way to somebody who waits for the former one.
    const former = this.#initializations.get(representation);
    if (former) void repairs.promise.then(former.repairs.resolve);
    this.#initializations.set(representation, { bytes, repairs });
    this.#client?.initialize(representation, bytes);
  }

  initialization(representation: string): Uint8Array | undefined {
    return this.#initializations.get(representation)?.bytes;
  }

  /**
   * Resolves once the worker knows; false: that segment of the representation must be delivered whole. Rejects with `VoxelError` where the
   * worker lacks a part that it would need, which did not load.
   */
  async canRepair(representation: string, { needs }: Pick<SegmentLayout, 'needs'>): Promise<boolean> {
    const repairs = await this.#initializations.get(representation)?.repairs.promise;
    if (typeof repairs === 'object') throw decodeError(repairs);
    return repairs === 'all' || (repairs === 'planned' && needs !== undefined);
  }

  /**
   * Opens a session with the server that `located` says; the worker starts meanwhile, but not before `after`. Rejects as `located` does, or with
   * `VoxelError` code `unsupported` or `session-failed`.
   */
  async open(located: Promise<Endpoint>, after?: Promise<void>): Promise<VoxelSession> {
    const reason = reasonAgainst(browserFacts());
    if (reason !== undefined) throw new VoxelError('unsupported', reason);
    // A worker takes milliseconds to make: first goes out what else the page asks for now, such as the MPD.
    this.#after = after;
    const starting = Promise.resolve().then(() => this.#start());
    const [endpoint, client] = await Promise.allSettled([located, starting]);
    if (endpoint.status === 'rejected') throw endpoint.reason;
    if (client.status === 'rejected') throw client.reason;
    return client.value.open(endpoint.value);
  }

  /** Puts a segment together whose bytes the page brings. Rejects with `VoxelError` where there can be no worker. */
  async assemble(request: FedRequest): Promise<FedDownload> {
    // At once, if there is one: what is to be continued goes with the next message.
    const download = (this.#client ?? (await this.#start())).assemble(request);
    // Without its result, which nobody else may need any more.
    this.#fed = Promise.allSettled([this.#fed, download.result]).then(() => undefined);
    return download;
  }

  /** What a whole segment is made of; without frames where there can be no worker. */
  async inspect(representation: string, map: SegmentLayout, bytes: Uint8Array): Promise<SegmentFrames> {
    const client = await this.#start().catch(() => undefined);
    return client?.inspect(representation, map, bytes) ?? UNKNOWN_FRAMES;
  }

  /** Ends every session and the worker. What is asked for later starts another. */
  stop(): void {
    this.#client?.stop();
    this.#forget();
  }

  /** Stops for good, once what the page brings has been put together: a segment that arrives later starts no worker. */
  close(): void {
    this.#isClosed = true;
    void this.#fed.then(() => this.stop());
  }

  #start(): Promise<WorkerClient> {
    if (this.#isClosed) return Promise.reject(new VoxelError('aborted', 'the receiver was closed'));
    this.#starting ??= this.#createClient(this.#generation);
    return this.#starting;
  }

  async #createClient(generation: number): Promise<WorkerClient> {
    try {
      await this.#after;
      if (generation !== this.#generation) throw new VoxelError('aborted', 'stopped before the worker was started');
      const client: WorkerClient = new WorkerClient({
        ...(await startWorkerOr(this.options.withoutWorker, this.options.workerUrl)),
        onInitialized: (representation, repairs) => this.#initializations.get(representation)?.repairs.resolve(repairs),
        onPaths: this.options.onPaths,
        onFailed: () => this.#client === client && this.#forget(),
      });
      if (generation !== this.#generation) {
        client.stop();
        throw new VoxelError('aborted', 'stopped while the worker was starting');
      }
      for (const codec of this.#codecs) client.expect(codec);
      for (const [representation, { bytes }] of this.#initializations) client.initialize(representation, bytes);
      this.#client = client;
      return client;
    } catch (error) {
      if (generation === this.#generation) this.#forget();
      throw error;
    }
  }

  #forget(): void {
    this.#generation++;
    this.#client = undefined;
    this.#starting = undefined;
  }
}
