import { EventQueue } from '../event-queue.js';
import { fairShare } from '../link/queues/fluid.js';

/** The way over one interface of the device: its access network is the bottleneck (thesis §3.4.1). */
export interface Path {
  /** Seconds. */
  readonly roundTrip: number;
  /** Bytes per second. */
  readonly rate: number;
}

/** The part of a connection that runs over one path, while it carries a transfer. */
export interface Subflow {
  /** Index into the paths. */
  readonly path: number;
  /** Seconds: when its first byte comes. */
  readonly startsAt: number;
  /** Congestion window in bytes; Infinity once it has left slow start, to which it never returns (§3.3.1). */
  window: number;
}

/** An object on its way, over one path or striped over several. */
export interface Transfer {
  readonly id: number;
  /** Bytes. */
  remaining: number;
  readonly subflows: readonly Subflow[];
}

/**
 * Transfers as fluids (§3.3.1): the subflows of a path share its rate max-min fairly and at once, in slow start no faster than
 * a window per round trip. Times are seconds since the page was asked for.
 */
export class Network {
  readonly #paths: readonly Path[];
  #transfers: Transfer[] = [];
  /** Subflows that begin, or whose windows grow. */
  #changes = new EventQueue<Subflow>();
  #time = 0;

  constructor(paths: readonly Path[]) {
    this.#paths = paths;
  }

  get time(): number {
    return this.#time;
  }

  start(transfer: Transfer): void {
    this.#transfers.push(transfer);
    for (const subflow of transfer.subflows) this.#changes.at(subflow.startsAt, subflow);
  }

  /** The same network at the same time, to see what would happen. */
  copy(): Network {
    const copy = new Network(this.#paths);
    copy.#time = this.#time;
    const twins = new Map<Subflow, Subflow>();
    const twin = (subflow: Subflow) => twins.get(subflow)!;
    for (const { subflows } of this.#transfers) for (const subflow of subflows) twins.set(subflow, { ...subflow });
    copy.#transfers = this.#transfers.map((transfer) => ({ ...transfer, subflows: transfer.subflows.map(twin) }));
    copy.#changes = this.#changes.map(twin);
    return copy;
  }

  /** Goes on to the end of the next transfer, which is returned, or to `until`. */
  run(until = Infinity): Transfer | undefined {
    for (;;) {
      for (const [time, subflow] of this.#changes.due(this.#time)) this.#change(subflow, time);
      const rates = this.#rates();
      let next = Math.min(until, this.#changes.nextAt);
      let finished = -1;
      for (let index = 0; index < rates.length; index++) {
        const end = this.#time + this.#transfers[index]!.remaining / rates[index]!;
        if (end > next) continue;
        next = end;
        finished = index;
      }
      if (next === Infinity) return undefined;
      for (let index = 0; index < rates.length; index++) {
        const transfer = this.#transfers[index]!;
        transfer.remaining = Math.max(0, transfer.remaining - rates[index]! * (next - this.#time));
      }
      this.#time = next;
      if (finished >= 0) return this.#finish(finished);
      if (next === until) return undefined;
    }
  }

  /** Seconds: before this the transfer cannot be here, even if it had its paths alone. */
  soonest({ remaining, subflows }: Transfer): number {
    const rate = subflows.reduce((sum, { path }) => sum + this.#paths[path]!.rate, 0);
    const start = subflows.reduce((first, { startsAt }) => Math.min(first, startsAt), Infinity);
    return Math.max(this.#time, start) + remaining / rate;
  }

  /** Rate of each transfer now, bytes per second. */
  #rates(): Float64Array {
    const rates = new Float64Array(this.#transfers.length);
    for (const [path, { rate, roundTrip }] of this.#paths.entries()) {
      const owners: number[] = [];
      const active: Subflow[] = [];
      for (let owner = 0; owner < this.#transfers.length; owner++) {
        const subflow = this.#transfers[owner]!.subflows.find((candidate) => candidate.path === path);
        if (!subflow || subflow.startsAt > this.#time) continue;
        owners.push(owner);
        active.push(subflow);
      }
      const needs = active.map(({ window }) => window / roundTrip);
      const share = fairShare(rate, needs);
      for (let index = 0; index < active.length; index++) {
        const subflow = active[index]!;
        if (subflow.window >= share * roundTrip) this.#leaveSlowStart(subflow);
        rates[owners[index]!]! += Math.min(subflow.window / roundTrip, share);
      }
    }
    return rates;
  }

  /** It begins, or in slow start its window doubles: once per round trip. */
  #change(subflow: Subflow, time: number): void {
    if (time > subflow.startsAt) subflow.window *= 2;
    if (subflow.window < Infinity) this.#changes.at(time + this.#paths[subflow.path]!.roundTrip, subflow);
  }

  /** It has reached its share. */
  #leaveSlowStart(subflow: Subflow): void {
    if (subflow.window === Infinity) return;
    subflow.window = Infinity;
    this.#changes.cancel((other) => other === subflow);
  }

  #finish(index: number): Transfer {
    const [transfer] = this.#transfers.splice(index, 1) as [Transfer];
    this.#changes.cancel((subflow) => transfer.subflows.includes(subflow));
    return transfer;
  }
}
