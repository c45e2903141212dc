import { earliest, INITIAL_WINDOW, isSilent, type PathLink, type Schedule } from '../../../delivery/schedule.js';
import { sum } from '../../../delivery/sum.js';
import { deferred } from '../../deferred.js';
import { VoxelError } from '../../errors.js';
import type { PathReport } from '../../types.js';
import type { DatagramListener, Flow, PathDownloadOptions, Session } from '../types.js';
import { PathDispatcher, type DispatcherBundle } from './path-dispatcher.js';
import type { Path } from './path.js';

/** Milliseconds between two looks at paths that bring nothing. */
const LOOK_INTERVAL = 50;
/** Milliseconds in which what arrives is one reason to deal: a request goes out for every block, not for every datagram. */
const GATHERING = 5;
/** Milliseconds between two reports. */
const REPORT_INTERVAL = 250;

/** Round trips, and seconds at least, after which a path that brings nothing, while another one does, is given up. */
const DEAD_ROUND_TRIPS = 8;
const LEAST_DEAD = 1;

/** Share of all bytes that may be asked for twice (XLINK's 2 %). */
const REDUNDANCY = 0.02;

/** Bytes per second of paths of which none is known. */
const FIRST_RATE = 125_000;

/** Bytes of a request for something that was lost. */
const REPAIR = 4_096;

export interface BundleOptions {
  readonly schedule: Schedule;
  readonly report: (paths: readonly PathReport[]) => void;
  /** Undefined: paths stay. */
  readonly pool?: PathPool | undefined;
}

/** Paths to one address that come and go. */
export interface PathPool {
  /** Paths by id; never empty. */
  readonly paths: readonly Path[];
  /** A download is about to use the first so many. */
  want(count: number, isIdle: (path: Path) => boolean): void;
}

/** Several paths as one session: downloads are dealt out to them, and go on while one of them is left. */
export class Bundle implements Session, DispatcherBundle {
  readonly host: string;
  readonly #closing = deferred<VoxelError>();
  readonly closed = this.#closing.promise;
  readonly #paths: readonly Path[];
  readonly #pool: PathPool | undefined;
  readonly #schedule: Schedule;
  readonly #report: (paths: readonly PathReport[]) => void;
  readonly #dispatchers = new Set<PathDispatcher>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looks: ReturnType<typeof setInterval> | undefined;
  #reportedAt = 0;
  #bytesRepeated = 0;
  #isClosed = false;
  /** The last one that was used. */
  #session!: Session;

  /** One of the paths is open. */
  constructor(paths: readonly Path[], { schedule, report, pool }: BundleOptions) {
    this.#paths = pool?.paths ?? paths;
    this.#pool = pool;
    this.#schedule = schedule;
    this.#report = report;
    this.host = this.pick().host;
    this.#reportNow();
  }

  /** Round trip of the path that carries most. */
  get roundTrip(): number | undefined {
    const now = performance.now();
    const rate = ({ traffic }: Path): number => traffic.rate(now) ?? 0;
    const open = this.#paths.filter(({ session }) => session);
    return open.sort((a, b) => rate(b) - rate(a))[0]?.session?.roundTrip;
  }

  dispatch(options: PathDownloadOptions): PathDispatcher {
    this.#pool?.want(options.request.connections ?? 1, ({ id }) => this.#queued(id) === 0);
    const dispatcher = new PathDispatcher(options, this);
    this.#dispatchers.add(dispatcher);
    this.#looks ??= setInterval(() => this.#look(), LOOK_INTERVAL);
    this.wake();
    return dispatcher;
  }

  request(head: Uint8Array<ArrayBuffer>, signal: AbortSignal): AsyncIterable<Uint8Array> {
    return this.pick().request(head, signal);
  }

  openFlow(onDatagram: DatagramListener): Flow {
    return this.pick().openFlow(onDatagram);
  }

  close(): void {
    this.#end(new VoxelError('session-closed', 'the session was closed'));
  }

  pick(): Session {
    const links = this.#links(performance.now()).filter(({ setup }) => setup === 0);
    const free = links.filter(({ cost }) => cost <= 0);
    const best = earliest(free.length > 0 ? free : links, REPAIR);
    return (this.#session = (best && this.#paths[best.id]!.session) ?? this.#session);
  }

  pathOf(session: Session): Path | undefined {
    return this.#paths.find((path) => path.session === session);
  }

  wake(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#deal();
    }, GATHERING);
  }

  refused(session: Session, failure: VoxelError): boolean {
    const path = this.pathOf(session);
    if (!path || failure.code === 'aborted') return path === undefined;
    if (!this.#paths.some((one) => one !== path && one.session)) return false;
    path.fail(session, failure);
    return true;
  }

  remove(dispatcher: PathDispatcher): void {
    this.#dispatchers.delete(dispatcher);
    if (this.#dispatchers.size > 0) this.wake();
    else {
      clearInterval(this.#looks);
      this.#looks = undefined;
      const now = performance.now();
      // What it owed came over another one: it would be waited for again by the next download.
      this.#giveUp((path) => isSilent({ silence: path.traffic.silence(now), roundTrip: path.roundTrip / 1000 }));
      for (const { traffic } of this.#paths) traffic.owes(false, now);
      this.#reportNow();
    }
  }

  /** A path is open, or is not any more. */
  changed(path: Path): void {
    if (this.#isClosed) return;
    if (!path.session) {
      for (const dispatcher of this.#dispatchers) dispatcher.takeFrom(path);
      if (!this.#paths.some(({ session }) => session)) return this.#end(path.error!);
    }
    this.wake();
    this.#reportNow();
  }

  #look(): void {
    const now = performance.now();
    const isDead = ({ roundTrip, traffic }: Path): boolean =>
      traffic.silence(now) > Math.max(LEAST_DEAD, (DEAD_ROUND_TRIPS * roundTrip) / 1000);
    this.#giveUp(isDead);
    this.#deal();
    if (now - this.#reportedAt >= REPORT_INTERVAL) this.#reportNow();
  }

  #giveUp(isDead: (path: Path) => boolean): void {
    const open = this.#paths.filter(({ session }) => session);
    const dead = open.filter(isDead);
    // Where all are silent the link is down: waiting is all that helps.
    if (dead.length === open.length) return;
    for (const path of dead)
      path.fail(path.session!, new VoxelError('timeout', 'the path is silent, another one is not'));
  }

  #deal(): void {
    const now = performance.now();
    let before = 0;
    for (const dispatcher of this.#dispatchers) {
      const bytes = sum(this.#paths.map(({ traffic }) => traffic.bytes));
      const links = this.#links(now).filter(({ id }) => id < dispatcher.connections);
      const deals = this.#schedule(dispatcher.work(before, REDUNDANCY * bytes - this.#bytesRepeated), links);
      for (const path of this.#paths) {
        const own = deals.filter((deal) => deal.path === path.id);
        if (own.length > 0) this.#bytesRepeated += dispatcher.ask(own, path);
      }
      dispatcher.endIfDone();
      if (!dispatcher.leavesRoom) break;
      before += dispatcher.bytesLeft;
    }
    // Also of what has come over another one meanwhile: a path that is silent would seem idle, and be asked for more.
    const dispatchers = [...this.#dispatchers];
    for (const path of this.#paths) {
      const isOwing = dispatchers.some((dispatcher) => dispatcher.hasRequests(path));
      path.traffic.owes(isOwing, now);
    }
  }

  #links(now: number): PathLink[] {
    const known = this.#paths.filter(({ session, traffic }) => session && traffic.rate(now) !== undefined);
    const best = Math.max(FIRST_RATE, ...known.map(({ traffic }) => traffic.rate(now)!));
    const nearest = Math.min(...known.map(({ roundTrip }) => roundTrip));
    const links = this.#paths.filter(({ session, isOpening }) => session ?? isOpening);
    return links.map((path) => {
      const rate = path.traffic.rate(now);
      return {
        id: path.id,
        // Of one that is not known the best is expected: how else would it become known?
        rate: rate ?? best,
        roundTrip: (rate === undefined ? Math.min(path.roundTrip, nearest) : path.roundTrip) / 1000,
        lossRate: path.traffic.lossRate,
        queued: this.#queued(path.id),
        window: rate === undefined ? INITIAL_WINDOW : Infinity,
        setup: path.setup(now) / 1000,
        silence: path.traffic.silence(now),
        cost: path.cost,
      };
    });
  }

  #queued(id: number): number {
    return sum([...this.#dispatchers].map((dispatcher) => dispatcher.queuedOn(this.#paths[id]!)));
  }

  #reportNow(): void {
    this.#reportedAt = performance.now();
    this.#report(this.#paths.map((path) => path.report()));
  }

  #end(reason: VoxelError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#looks);
    for (const path of this.#paths) path.stop();
    this.#reportNow();
    this.#closing.resolve(reason);
  }
}
