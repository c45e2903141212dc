import { longestRange } from '../../../coding/symbols.js';
import { AT_EASE, without, type Dealt, type UnderWay, type Work } from '../../../delivery/schedule.js';
import { sum } from '../../../delivery/sum.js';
import { totalBytes, type ByteRange } from '../../../manifest/byte-range.js';
import { IntervalSet } from '../../../manifest/interval-set.js';
import type { VoxelError } from '../../errors.js';
import { split, type PlannedRequest } from '../request-plan.js';
import type { Carriage, Load, Session } from '../types.js';
import type { Path } from './path.js';

/** A request under way. */
interface Order {
  readonly path: Path;
  readonly planned: PlannedRequest;
}

/** What a download needs of the bundle that carries it. */
export interface Carrier {
  pick(): Session;
  pathOf(session: Session): Path | undefined;
  /** Bytes can be dealt, or a path's silence is over. */
  wake(): void;
  /** That path refuses what others may give. False: it is the last one. */
  refused(session: Session, failure: VoxelError): boolean;
  remove(freight: Freight): void;
}

/** One download that is dealt out to paths: what of it is asked for where, and what is not yet. */
export class Freight implements Carriage {
  readonly #load: Load;
  readonly #carrier: Carrier;
  readonly #startedAt = performance.now();
  #left: readonly ByteRange[];
  #orders: readonly Order[] = [];
  /** What was asked for twice. */
  readonly #repeated = new IntervalSet();
  readonly #flows = new Map<Session, number>();
  bytesRepeated = 0;

  constructor(load: Load, carrier: Carrier) {
    this.#load = load;
    this.#carrier = carrier;
    this.#left = [{ start: 0, end: load.assembly.length }];
  }

  pick(): Session {
    return this.#carrier.pick();
  }

  flowOver(path: Session): number | undefined {
    return this.#flows.get(path);
  }

  arrived(over: Session, bytes: number): void {
    this.#carrier.pathOf(over)?.arrived(bytes);
    this.#carrier.wake();
  }

  lost(over: Session, bytes: number): void {
    this.#carrier.pathOf(over)?.traffic.lost(bytes);
  }

  finished(planned: PlannedRequest, over: Session, failure: VoxelError | undefined): boolean {
    const order = this.#orders.find((one) => one.planned === planned);
    this.#orders = this.#orders.filter((one) => one !== order);
    const isMended = failure !== undefined && (failure.fatal || this.#carrier.refused(over, failure));
    // What was taken from a path that failed has been asked for elsewhere.
    if (isMended && (order || planned.delivery === 'stream')) this.#takeBack(planned);
    this.#carrier.wake();
    return isMended;
  }

  stop(): void {
    this.#carrier.remove(this);
  }

  /** True: the next download may have what the paths can still take. */
  get leavesRoom(): boolean {
    return this.#left.length === 0 || this.#buffer > AT_EASE;
  }

  /** Seconds until the buffer runs out; Infinity: nothing plays. */
  get #buffer(): number {
    const { buffer } = this.#load.request;
    return buffer === undefined ? Infinity : Math.max(0, buffer - (performance.now() - this.#startedAt)) / 1000;
  }

  /** Over how many paths, the first ones, it may be asked for. */
  get connections(): number {
    return this.#load.request.connections ?? Infinity;
  }

  /** Whether a request over that path is not answered in full. */
  hasOrders(path: Path): boolean {
    return this.#orders.some((order) => order.path === path);
  }

  /** Bytes asked for over that path that are not here. */
  queuedOn(path: Path): number {
    const orders = this.#orders.filter((order) => order.path === path);
    return sum(orders.map(({ planned }) => totalBytes(this.#missing(planned))));
  }

  /** The path has no session any more. */
  takeFrom(path: Path): void {
    const orders = this.#orders.filter((order) => order.path === path);
    this.#orders = this.#orders.filter((order) => order.path !== path);
    for (const { planned } of orders) this.#takeBack(planned);
  }

  /** Bytes that are not yet asked for. */
  get bytesLeft(): number {
    return totalBytes(this.#left);
  }

  /** What is to be dealt out now, behind so many bytes of other downloads. */
  work(before: number, repeatable: number): Work {
    const { assembly, request } = this.#load;
    const elapsed = performance.now() - this.#startedAt;
    // After the deadline the server would send none of the rest.
    if (request.deadline !== undefined && elapsed >= request.deadline) this.#leaveOut();
    return {
      reliableLength: assembly.reliableLength,
      left: this.#left,
      before,
      underWay: this.#orders.flatMap((order) => this.#underWay(order)),
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
    const { assembly, request } = this.#load;
    const isReliable = ({ start }: ByteRange): boolean =>
      request.delivery === 'streams' || start < assembly.reliableLength;
    const streams = deals.filter((deal) => isReliable(deal) || deal.isRepeat);
    const datagrams = deals.filter((deal) => !streams.includes(deal));
    const after = request.after?.carriage?.flowOver(session);
    for (const planned of [
      ...split(assembly, streams, 'stream'),
      ...split(assembly, datagrams, 'datagrams', longestRange(request.parity)),
    ]) {
      this.#orders = [...this.#orders, { path, planned }];
      const flow = this.#load.send(planned, session, after);
      if (flow !== undefined) this.#flows.set(session, flow);
    }
    for (const { start, end } of repeats) this.#repeated.add(start, end);
    const bytes = totalBytes(repeats);
    this.bytesRepeated += bytes;
    return bytes;
  }

  /** Ends it when nothing is left, neither to ask for nor to wait for. */
  endIfDone(): void {
    if (this.#left.length > 0 || this.#orders.length > 0) return;
    this.#carrier.remove(this);
    this.#load.end(undefined);
  }

  #underWay({ path: { id: path }, planned }: Order): UnderWay[] {
    return this.#missing(planned).flatMap((gap) => {
      const once = this.#repeated.gaps(gap.start, gap.end).map((part) => ({ ...part, path, isRepeated: false }));
      return once.length > 0 ? once : [{ ...gap, path, isRepeated: true }];
    });
  }

  #missing({ pieces }: PlannedRequest): ByteRange[] {
    return pieces.flatMap(({ start, end }) => this.#load.assembly.gaps(start, end));
  }

  /** It is to be asked for again, unless that is under way elsewhere. */
  #takeBack(planned: PlannedRequest): void {
    const elsewhere = new IntervalSet(this.#orders.flatMap((order) => order.planned.pieces));
    const left = new IntervalSet(this.#left);
    for (const piece of this.#missing(planned)) {
      for (const { start, end } of elsewhere.gaps(piece.start, piece.end)) left.add(start, end);
    }
    this.#left = [...left];
  }

  #leaveOut(): void {
    const { reliableLength } = this.#load.assembly;
    this.#left = this.#left
      .filter(({ start }) => start < reliableLength)
      .map(({ start, end }) => ({ start, end: Math.min(end, reliableLength) }));
  }
}
