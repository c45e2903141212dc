import { comesInTime } from '../../src/delivery/index.js';
import type { Burst, Progress, Transport } from './link/transport.js';

/** Simulated bytes are fractions of rates. */
const ROUNDING_BYTES = 1e-3;

/** Bytes of one burst that are lost, and when a server has heard that they are asked for again. */
interface Repeat {
  readonly burst: Burst;
  /** Seconds. */
  readonly due: number;
  left: number;
}

/**
 * Recovery in flight (`src/delivery/recovery.ts`) in simulation: what is lost is asked for a round trip later at the server, which
 * sends it before the rest.
 */
export class Recovery {
  readonly #transport: Transport;
  /** Seconds of the session at which the segment was asked for. */
  readonly #requested: number;
  /** Milliseconds from then. */
  readonly #deadline: number | undefined;
  #repeats: Repeat[] = [];
  readonly #lost: Burst[] = [];

  constructor(transport: Transport, requested: number, deadline: number | undefined) {
    this.#transport = transport;
    this.#requested = requested;
    this.#deadline = deadline;
  }

  /** What was lost, and is neither here again nor on its way. */
  get lost(): readonly Burst[] {
    return [...this.#lost, ...this.#repeats.map(({ burst, left }) => ({ ...burst, lost: left }))].sort(
      (a, b) => a.start - b.start,
    );
  }

  get isWaiting(): boolean {
    return this.#repeats.length > 0;
  }

  /** Whether anything before that place is on its way again. */
  isRepeating(end: number): boolean {
    return this.#repeats.some(({ burst }) => burst.start < end);
  }

  /** These were lost by `time`; positions among all bytes of the download. */
  add(bursts: readonly Burst[], time: number): void {
    const { latency } = this.#transport;
    const inTime = comesInTime(this.#deadline, 1000 * (time - this.#requested), 1000 * latency);
    for (const burst of bursts) {
      if (!inTime) this.#lost.push(burst);
      else {
        this.#repeats.push({ burst, due: time + latency, left: burst.lost });
        this.#transport.askMore(burst.lost);
      }
    }
  }

  /** Receives what the server has been asked for by `time`, at the longest until `until`. */
  receive(time: number, until: number): Pick<Progress, 'arrived' | 'time' | 'usable'> {
    let arrived = 0;
    let now = time;
    let usable = time;
    for (let next = this.#repeats[0]; next && next.due <= now && now < until; next = this.#repeats[0]) {
      const progress = this.#transport.receive(next.left, 'streams', until);
      now = progress.time;
      usable = Math.max(usable, progress.usable);
      const came = now < until ? next.left : Math.min(next.left, progress.arrived);
      arrived += came;
      next.left -= came;
      if (next.left <= ROUNDING_BYTES) this.#repeats.shift();
    }
    return { arrived, time: now, usable };
  }

  /** Nothing else is on its way: the link rests until the server has heard of what is lost. Returns when that is. */
  waitForTheRest(): number {
    const { due } = this.#repeats[0]!;
    const left = this.#repeats.reduce((sum, repeat) => sum + repeat.left, 0);
    this.#repeats = this.#repeats.map((repeat) => ({ ...repeat, due }));
    this.#transport.request(due - this.#transport.latency, left);
    return due;
  }
}
