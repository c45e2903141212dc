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
  /** Seconds: when the window doubles next. */
  growsAt: number;
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
  #time = 0;

  constructor(paths: readonly Path[]) {
    this.#paths = paths;
  }

  get time(): number {
    return this.#time;
  }

  start(transfer: Transfer): void {
    this.#transfers.push(transfer);
  }

  /** The same network at the same time, to see what would happen. */
  copy(): Network {
    const copy = new Network(this.#paths);
    copy.#time = this.#time;
    copy.#transfers = this.#transfers.map((transfer) => ({
      ...transfer,
      subflows: transfer.subflows.map((subflow) => ({ ...subflow })),
    }));
    return copy;
  }

  /** Goes on to the end of the next transfer, which is returned, or to `until`. */
  run(until = Infinity): Transfer | undefined {
    for (;;) {
      const rates = this.#rates();
      let next = Math.min(until, this.#nextChange());
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
      if (finished >= 0) return this.#transfers.splice(finished, 1)[0];
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
        grow(subflow, this.#time, roundTrip);
        owners.push(owner);
        active.push(subflow);
      }
      const share = fairShare(active, { rate, roundTrip });
      for (let index = 0; index < active.length; index++) {
        const subflow = active[index]!;
        // It has reached its share and leaves slow start.
        if (subflow.window >= share * roundTrip) subflow.window = Infinity;
        rates[owners[index]!]! += Math.min(subflow.window / roundTrip, share);
      }
    }
    return rates;
  }

  /** When a subflow begins or a window grows. */
  #nextChange(): number {
    let next = Infinity;
    for (const { subflows } of this.#transfers) {
      for (const { startsAt, window, growsAt } of subflows) {
        if (startsAt > this.#time) next = Math.min(next, startsAt);
        else if (window < Infinity) next = Math.min(next, growsAt);
      }
    }
    return next;
  }
}

/** Slow start: the window doubles once per round trip. */
function grow(subflow: Subflow, time: number, roundTrip: number): void {
  while (subflow.window < Infinity && subflow.growsAt <= time) {
    subflow.window *= 2;
    subflow.growsAt += roundTrip;
  }
}

/** What each may have of the path's rate when those whose window allows less leave the others the rest: max-min fairness. */
function fairShare(active: readonly Subflow[], { rate, roundTrip }: Path): number {
  let share = rate / active.length;
  for (;;) {
    let [free, sharing] = [rate, 0];
    for (const { window } of active) {
      if (window / roundTrip < share) free -= window / roundTrip;
      else sharing++;
    }
    // With every window below the share nobody needs more.
    const larger = sharing === 0 ? share : free / sharing;
    if (larger <= share) return share;
    share = larger;
  }
}
