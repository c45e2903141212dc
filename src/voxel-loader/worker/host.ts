import { addCounts } from '../../delivery/counts.js';
import type { Playhead } from '../../delivery/piece-queue.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import { VoxelError } from '../errors.js';
import type { DeliveredMessage, ErrorMessage, PageMessage, WorkerMessage } from '../messages.js';
import { FileVersions } from './file-version.js';
import { FedSegment } from './fed-segment.js';
import { describeFrames } from './frame-states.js';
import { HandOvers } from './hand-overs.js';
import { PartialSegment, type SegmentSource } from './partial-segment.js';
import { repairPlan } from './repair-plan.js';
import { Repairers, type Repairing } from './repairers.js';
import { downloadSegment } from './segment-download.js';
import { openSession, type OpenSession } from './session.js';
import type { Download, ReceivedSegment, Session } from './types.js';

export type Message<Type extends PageMessage['type']> = Extract<PageMessage, { type: Type }>;

/** Milliseconds between two reports on a download. */
const PROGRESS_INTERVAL = 50;

/** What one program can do and another cannot. */
export interface Abilities {
  readonly repair: Repairing;
  readonly open?: OpenSession;
  /** Creates what follows segments. */
  readonly following?: (host: Host) => { receive(message: Message<'follow'>): void; look(): void };
}

export interface HostOptions extends Abilities {
  readonly post: (message: WorkerMessage, transfer: Transferable[]) => void;
  /** Ends the worker. */
  readonly exit: () => void;
}

/** What a host runs: a `Download`, or something whose answers are pieces. */
type Running<Received> = Pick<Download, 'abort'> &
  Partial<Pick<Download, 'session' | 'keep' | 'progress'> & Pick<FedSegment, 'push' | 'end'>> & {
    readonly result: Promise<Received>;
  };

/**
 * The worker's end of a `Receiver`: all sessions of a player, the assembly of their segments and the repair. Segments
 * with gaps stay here until the page releases them.
 */
export class Host {
  readonly repairers: Repairers;
  /** Where playback is, in ms since 1970; undefined: nothing plays. */
  playhead: Playhead | undefined;
  readonly #following: ReturnType<NonNullable<Abilities['following']>> | undefined;
  readonly #handOvers = new HandOvers(this);
  readonly #versions = new FileVersions();
  readonly #sessions = new Map<number, Session>();
  readonly #running = new Map<number, Running<unknown>>();
  /** Segments with gaps, by the download that brought them. */
  readonly #segments = new Map<number, PartialSegment>();

  readonly #handlers: { readonly [Type in PageMessage['type']]: (message: Message<Type>) => void } = {
    expect: ({ codec }) => this.repairers.expect(codec),
    initialize: (message) => void this.#initialize(message),
    open: (message) => void this.#open(message),
    download: (message) => this.#download(message),
    'fetch-into': (message) => this.#fetchInto(message),
    follow: (message) => this.#following?.receive(message),
    play: ({ playhead }) => {
      this.playhead = playhead;
      this.#following?.look();
      this.#handOvers.look();
    },
    keep: ({ id }) => this.#running.get(id)?.keep?.(),
    'hand-over': ({ id }) => this.#handOvers.start(id),
    release: ({ id }) => {
      this.#running.get(id)?.abort();
      this.#handOvers.forget(id);
      this.#segments.delete(id);
    },
    assemble: (message) => this.#assemble(message),
    feed: ({ id, position, bytes }) => this.#running.get(id)?.push?.(position, bytes),
    'feed-end': ({ id }) => this.#running.get(id)?.end?.(),
    inspect: ({ id, representation, map, bytes }) => {
      const segment = {
        bytes: bytes as Uint8Array<ArrayBuffer>,
        received: new IntervalSet([{ start: 0, end: bytes.length }]),
      };
      const { frames } = this.repairers.repair(representation, segment, repairPlan(map));
      this.post({ type: 'inspected', id, frames: describeFrames(map, { ...segment, lost: [] }, frames) });
    },
    close: ({ session }) => this.#sessions.get(session)?.close(),
    stop: () => {
      for (const session of this.#sessions.values()) session.close();
      this.options.exit();
    },
  };

  constructor(private readonly options: HostOptions) {
    this.repairers = new Repairers(options.repair);
    this.#following = options.following?.(this);
    this.post({ type: 'started' });
  }

  receive(message: PageMessage): void {
    (this.#handlers[message.type] as (message: PageMessage) => void)(message);
  }

  post(message: WorkerMessage, transfer: Transferable[] = []): void {
    this.options.post(message, transfer);
  }

  /** Throws `VoxelError` code `session-closed`. */
  session(id: number): Session {
    const session = this.#sessions.get(id);
    if (!session) throw new VoxelError('session-closed', 'the session is closed');
    return session;
  }

  /** Runs what `start` begins, and posts what `finish` makes of its end. */
  async run<Received>(
    id: number,
    start: () => Running<Received>,
    finish: (received: Received) => DeliveredMessage | undefined,
  ): Promise<void> {
    let reports: ReturnType<typeof setInterval> | undefined;
    try {
      const running = start();
      this.#running.set(id, running);
      reports = setInterval(() => {
        const progress = running.progress?.();
        if (progress) this.post({ type: 'progress', id, progress });
      }, PROGRESS_INTERVAL);
      const delivered = finish(await running.result);
      this.post({ type: 'delivered', id, delivered }, delivered && [delivered.bytes.buffer]);
    } catch (error) {
      this.#handOvers.breakOff(id);
      this.#reject(id, error);
    } finally {
      clearInterval(reports);
      this.#running.delete(id);
    }
  }

  #reject(id: number, error: unknown): void {
    this.post({ type: 'rejected', id, error: encodeError(error) });
  }

  async #initialize({ representation, bytes }: Message<'initialize'>): Promise<void> {
    const repairs = await this.repairers.add(representation, bytes).catch(encodeError);
    this.post({ type: 'initialized', representation, repairs });
  }

  async #open({ session: id, endpoint }: Message<'open'>): Promise<void> {
    try {
      const session = await (this.options.open ?? openSession)(endpoint, undefined, (paths) =>
        this.post({ type: 'paths', paths }),
      );
      this.#sessions.set(id, session);
      this.post({ type: 'opened', session: id });
      const reason = await session.closed;
      this.#sessions.delete(id);
      await this.#lastWords(session);
      this.post({ type: 'closed', session: id, error: encodeError(reason) });
    } catch (error) {
      this.post({ type: 'closed', session: id, error: encodeError(error) });
    }
  }

  /** Resolves when the page has been told of what a session that is gone has brought enough of: its end takes all others along. */
  async #lastWords(session: Session): Promise<void> {
    const delivering = [...this.#running.values()].filter(
      (running) => running.session === session && running.progress?.().phase === 'unreliable',
    );
    await Promise.allSettled(delivering.map(({ result }) => result));
  }

  #download({ id, session, after, request }: Message<'download'>): void {
    const host = this.#sessions.get(session)?.host ?? '';
    const source = { ...request, file: this.#versions.of(host, request.target, request.edition) };
    const first = after === undefined ? undefined : (this.#running.get(after) as Download | undefined);
    const start = () => {
      const download = downloadSegment(this.session(session), { ...source, after: first });
      this.#handOvers.add(id, download, request);
      return download;
    };
    void this.run(id, start, (received) => {
      const { segment, delivered } = this.#finish(id, source, received);
      if (!segment.isWhole) this.#segments.set(id, segment);
      return delivered;
    });
  }

  #assemble({ id, continues, request }: Message<'assemble'>): void {
    const start = () => {
      const { map, askedAt } = request;
      const now = (): number => performance.now();
      const segment = new FedSegment(map, now, askedAt === undefined ? now() : askedAt - performance.timeOrigin);
      if (continues === undefined) this.#handOvers.add(id, segment, request);
      else {
        this.#handOvers.continue(id, continues, segment);
        this.#running.get(continues)?.abort();
      }
      return segment;
    };
    void this.run(id, start, (received) => {
      const source = { ...request, target: '', headers: {}, file: this.#versions.of('', '', 0) };
      const { delivered } = this.#finish(id, source, received);
      // What is missing of it cannot be fetched: of the file nothing is known but what was brought.
      return { ...delivered, kept: undefined };
    });
  }

  /** The segment as it was handed over, the last piece of it or all, and what of it is kept. */
  #finish(
    id: number,
    source: SegmentSource,
    received: ReceivedSegment,
  ): { readonly delivered: DeliveredMessage; readonly segment: PartialSegment } {
    const remainder = this.#handOvers.finish(id);
    if (!remainder) {
      const segment = new PartialSegment(source, received);
      return { delivered: this.#deliver(id, segment, received, segment.repair(this.repairers)), segment };
    }
    const { shownWithout, ...repaired } = remainder;
    // What came after its piece had been handed over is not what the viewer has.
    const shown = new IntervalSet([...received.received].flatMap(({ start, end }) => shownWithout.gaps(start, end)));
    const segment = new PartialSegment(source, { ...received, received: shown });
    return { delivered: this.#deliver(id, segment, received, repaired), segment };
  }

  #fetchInto({ id, session, segment: kept, ranges }: Message<'fetch-into'>): void {
    const segment = this.#segments.get(kept);
    if (!segment) return this.#reject(id, new VoxelError('aborted', 'the segment was released'));
    void this.run(
      id,
      () => downloadSegment(this.session(session), segment.requestFor(ranges)),
      (received) => {
        segment.add(received);
        if (segment.isWhole) this.#segments.delete(kept);
        const facts = { ...received, bytesLost: segment.bytesLost };
        return this.#deliver(kept, segment, facts, segment.repair(this.repairers));
      },
    );
  }

  #deliver(
    id: number,
    segment: PartialSegment,
    facts: ReceivedSegment,
    repaired: ReturnType<PartialSegment['repair']>,
  ): DeliveredMessage {
    const { bytesUnsent, seconds, bytesMeasured, timeToFirstByte, rtt, failure } = facts;
    return {
      ...repaired,
      received: [...segment.received],
      kept: segment.isWhole ? undefined : id,
      ...addCounts(facts),
      ...{ bytesUnsent, seconds, bytesMeasured, timeToFirstByte, rtt },
      failure: failure && encodeError(failure),
    };
  }
}

/** Message of an error, as structured cloning keeps it. */
export function encodeError(error: unknown): ErrorMessage {
  // Not by its class: parts of the program that are loaded have classes of their own.
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const { code, message, status } = error as VoxelError;
    return { code, message, status };
  }
  return { code: 'bad-request', message: String(error), status: undefined };
}
