import { longestRange } from '../../../coding/symbols.js';
import { AT_EASE, without, type Dealt, type UnderWay, type Work } from '../../../delivery/schedule.js';
import { sum } from '../../../delivery/sum.js';
import { totalBytes, type ByteRange } from '../../../manifest/byte-range.js';
import { IntervalSet } from '../../../manifest/interval-set.js';
import type { VoxelError } from '../../errors.js';
import { split, type PlannedRequest } from '../request-plan.js';
import type { PathDownload, PathDownloadOptions, Session } from '../types.js';
import type { Path } from './path.js';

/** A request under way over one path. */
interface PathRequest {
  readonly path: Path;
  readonly planned: PlannedRequest;
}

/** What a dispatcher needs of the bundle whose paths it uses. */
export interface DispatcherBundle {
  pick(): Session;
  pathOf(session: Session): Path | undefined;
  /** Bytes can be dealt, or a path's silence is over. */
  wake(): void;
  /** That path refuses what others may give. False: it is the last one. */
  refused(session: Session, failure: VoxelError): boolean;
  remove(dispatcher: PathDispatcher): void;
}

/** Deals one download out to paths: knows what of it is asked for where, and what is not yet. */
export class PathDispatcher implements PathDownload {
  readonly #options: PathDownloadOptions;
  readonly #bundle: DispatcherBundle;
  readonly #startedAt = performance.now();
  #left: readonly ByteRange[];
  #requests: readonly PathRequest[] = [];
  /** What was asked for twice. */
  readonly #repeated = new IntervalSet();
  readonly #flows = new Map<Session, number>();
  bytesRepeated = 0;

  constructor(options: PathDownloadOptions, bundle: DispatcherBundle) {
    this.#options = options;
    this.#bundle = bundle;
    this.#left = [{ start: 0, end: options.assembly.length }];
  }

  pick(): Session {
    return this.#bundle.pick();
  }

  flowOver(path: Session): number | undefined {
    return this.#flows.get(path);
  }

  arrived(over: Session, bytes: number): void {
    this.#bundle.pathOf(over)?.arrived(bytes);
    this.#bundle.wake();
  }

  lost(over: Session, bytes: number): void {
    this.#bundle.pathOf(over)?.traffic.lost(bytes);
  }

  finished(planned: PlannedRequest, over: Session, failure: VoxelError | undefined): boolean {
    const request = this.#requests.find((one) => one.planned === planned);
    this.#requests = this.#requests.filter((one) => one !== request);
    const isMended = failure !== undefined && (failure.fatal || this.#bundle.refused(over, failure));
    // What was taken from a path that failed has been asked for elsewhere.
    if (isMended && (request || planned.delivery === 'stream')) this.#takeBack(planned);
    this.#bundle.wake();
    return isMended;
  }

  stop(): void {
    this.#bundle.remove(this);
  }

  /** True: the next download may have what the paths can still take. */
  get leavesRoom(): boolean {
    return this.#left.length === 0 || this.#buffer > AT_EASE;
  }

  /** Seconds until the buffer runs out; Infinity: nothing plays. */
  get #buffer(): number {
    const { buffer } = this.#options.request;
    return buffer === undefined ? Infinity : Math.max(0, buffer - (performance.now() - this.#startedAt)) / 1000;
  }

  /** How many paths, the first ones, the download may use. */
  get connections(): number {
    return this.#options.request.connections ?? Infinity;
  }

  /** Whether a request over that path is not answered in full. */
  hasRequests(path: Path): boolean {
    return this.#requests.some((request) => request.path === path);
  }

  /** Bytes asked for over that path that are not here. */
  queuedOn(path: Path): number {
    const requests = this.#requests.filter((request) => request.path === path);
    return sum(requests.map(({ planned }) => totalBytes(this.#missing(planned))));
  }

  /** The path has no session any more. */
  takeFrom(path: Path): void {
    const requests = this.#requests.filter((request) => request.path === path);
    this.#requests = this.#requests.filter((request) => request.path !== path);
    for (const { planned } of requests) this.#takeBack(planned);
  }

  /** Bytes that are not yet asked for. */
  get bytesLeft(): number {
    return totalBytes(this.#left);
  }

  /** What is to be dealt out now, behind so many bytes of other downloads. */
  work(before: number, repeatable: number): Work {
    const { assembly, request } = this.#options;
    const elapsed = performance.now() - this.#startedAt;
    // After the deadline the server would send none of the rest.
    if (request.deadline !== undefined && elapsed >= request.deadline) this.#leaveOut();
    return {
      reliableLength: assembly.reliableLength,
      left: this.#left,
      before,
      underWay: this.#requests.flatMap((request) => this.#underWay(request)),
      buffer: this.#buffer,
      repeatable,
    };
  }

  /** Asks for what was dealt out. Returns how many bytes are asked for twice. */
  ask(deals: readonly Dealt[], path: Path): number {
    const { session } = path;
    if (!session) return 0;
    const repeats = deals.filter(({ isRepeat }) => isRepeat);
    for (const { start, end } of deals) this.#left = without(this.#left, { start, end });
    const { assembly, request } = this.#options;
    const isReliable = ({ start }: ByteRange): boolean =>
      request.delivery === 'streams' || start < assembly.reliableLength;
    const streams = deals.filter((deal) => isReliable(deal) || deal.isRepeat);
    const datagrams = deals.filter((deal) => !streams.includes(deal));
    const after = request.after?.paths?.flowOver(session);
    for (const planned of [
      ...split(assembly, streams, 'stream'),
      ...split(assembly, datagrams, 'datagrams', longestRange(request.parity)),
    ]) {
      this.#requests = [...this.#requests, { path, planned }];
      const flow = this.#options.send(planned, session, after);
      if (flow !== undefined) this.#flows.set(session, flow);
    }
    for (const { start, end } of repeats) this.#repeated.add(start, end);
    const bytes = totalBytes(repeats);
    this.bytesRepeated += bytes;
    return bytes;
  }

  /** Ends it when nothing is left, neither to ask for nor to wait for. */
  endIfDone(): void {
    if (this.#left.length > 0 || this.#requests.length > 0) return;
    this.#bundle.remove(this);
    this.#options.end(undefined);
  }

  #underWay({ path: { id: path }, planned }: PathRequest): UnderWay[] {
    return this.#missing(planned).flatMap((gap) => {
      const once = this.#repeated.gaps(gap.start, gap.end).map((part) => ({ ...part, path, isRepeated: false }));
      return once.length > 0 ? once : [{ ...gap, path, isRepeated: true }];
    });
  }

  #missing({ places }: PlannedRequest): ByteRange[] {
    return places.flatMap(({ start, end }) => this.#options.assembly.gaps(start, end));
  }

  /** It is to be asked for again, unless that is under way elsewhere. */
  #takeBack(planned: PlannedRequest): void {
    const elsewhere = new IntervalSet(this.#requests.flatMap((request) => request.planned.places));
    const left = new IntervalSet(this.#left);
    for (const place of this.#missing(planned)) {
      for (const { start, end } of elsewhere.gaps(place.start, place.end)) left.add(start, end);
    }
    this.#left = [...left];
  }

  #leaveOut(): void {
    const { reliableLength } = this.#options.assembly;
    this.#left = this.#left
      .filter(({ start }) => start < reliableLength)
      .map(({ start, end }) => ({ start, end: Math.min(end, reliableLength) }));
  }
}
