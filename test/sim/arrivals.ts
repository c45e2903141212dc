import type { Option } from '../../src/abr-star/index.js';
import { Recovery } from './recovery.js';
import type { Burst, Delivery, Progress, Transport } from './link/transport.js';

/** Seconds between two looks for repeats, where the round trip is shorter. */
const SHORTEST_STRETCH = 0.01;

/** Bytes asked for before a download, and how they are received: as in `Retransmission`. */
export interface UrgentBytes {
  readonly bytesLeft: number;
  receive(until: number): number;
}

/** What has come of an option's bytes so far: the reliable ones first, then the others. */
export class Arrivals {
  readonly #option: Option;
  readonly #urgent: UrgentBytes;
  readonly #recovery: Recovery;
  #reliableLeft: number;
  #unreliableLeft: number;
  #parityLeft: number;
  #lost = 0;
  #lostOnTheWay = 0;
  #measured: { readonly bytes: number; readonly time: number } | undefined;
  /** When the first of the last repeats comes. */
  #restDue = 0;
  /** Until then bytes wait behind a gap of their stream: reliable ones, and any. */
  #reliableUsable = 0;
  #usable = 0;
  #now = 0;

  constructor(option: Option, parityBytes: number, urgent: UrgentBytes, recovery: Recovery) {
    this.#option = option;
    this.#urgent = urgent;
    this.#recovery = recovery;
    this.#reliableLeft = option.reliableBytes;
    this.#unreliableLeft = option.bytes - option.reliableBytes;
    this.#parityLeft = parityBytes;
  }

  get reliable(): number {
    return this.#option.reliableBytes - this.#reliableLeft;
  }

  get lostOnTheWay(): number {
    return this.#lostOnTheWay;
  }

  /** Of the unreliable part, lost ones included. */
  get sent(): number {
    return this.#option.bytes - this.#option.reliableBytes - this.#unreliableLeft;
  }

  get unreliable(): number {
    return this.sent - this.#lost;
  }

  get arrived(): number {
    return this.reliable + this.unreliable;
  }

  /** What had arrived when only repeats were to come; undefined before. */
  get measured(): { readonly bytes: number; readonly time: number } | undefined {
    return this.#measured;
  }

  get bursts(): readonly Burst[] {
    const bursts: Burst[] = [];
    for (const burst of this.#recovery.lost) addBurst(bursts, burst);
    return bursts;
  }

  get hasAllReliable(): boolean {
    return this.#reliableLeft <= 0 && this.#now >= this.#reliableUsable;
  }

  get isComplete(): boolean {
    return this.#isAllSent && !this.#recovery.isWaiting && this.#now >= this.#usable;
  }

  get #isAllSent(): boolean {
    return this.#reliableLeft <= 0 && this.#unreliableLeft <= 0;
  }

  /** Goes on from `now` until `until` or the last byte. Returns when that was. */
  receive(transport: Transport, delivery: Delivery, now: number, until: number): number {
    const time = this.#receiveAll(transport, delivery, now, until);
    this.#now = this.#isAllSent && !this.#recovery.isWaiting ? Math.max(time, Math.min(until, this.#usable)) : time;
    return this.#now;
  }

  #receiveAll(transport: Transport, delivery: Delivery, now: number, until: number): number {
    let time = Math.max(now, this.#urgent.receive(until));
    if (this.#reliableLeft > 0 && time < until) {
      const progress = transport.receive(this.#reliableLeft, 'streams', until);
      time = progress.time;
      this.#waitForStream(progress);
      this.#reliableUsable = this.#usable;
      // What ends early is complete: sums of fractions of bytes may miss that.
      this.#reliableLeft = time < until ? 0 : this.#reliableLeft - progress.arrived;
    }
    while (this.#unreliableLeft > 0 && time < until) time = this.#receiveUnreliable(transport, delivery, time, until);
    if (!this.#isAllSent) return time;
    if (!this.#measured) {
      // Of a stream nobody knows how long it waits for repeats.
      this.#measured = { bytes: this.arrived, time: delivery === 'streams' ? Math.max(time, this.#usable) : time };
      if (this.#recovery.isWaiting) this.#restDue = this.#recovery.waitForTheRest();
    }
    return this.#receiveRepeats(Math.max(time, this.#restDue), until);
  }

  #waitForStream({ usable }: Pick<Progress, 'usable'>): void {
    this.#usable = Math.max(this.#usable, usable);
  }

  /** Repeats first; then a round trip's worth of the others at most, for more repeats may have become due. */
  #receiveUnreliable(transport: Transport, delivery: Delivery, start: number, until: number): number {
    const from = this.#receiveRepeats(start, until);
    if (from >= until) return from;
    const end = Math.min(until, from + Math.max(transport.latency, SHORTEST_STRETCH));
    if (this.#parityLeft > 0) {
      const { time, arrived, lost } = transport.receive(this.#parityLeft, delivery, end);
      this.#parityLeft = time < end ? 0 : this.#parityLeft - arrived - lost;
      return time;
    }
    const progress = transport.receive(this.#unreliableLeft, delivery, end);
    this.#lost += progress.lost;
    this.#lostOnTheWay += progress.lost;
    const offset = this.sent;
    const bursts = progress.bursts.map((burst) => ({
      ...burst,
      start: offset + burst.start,
      end: offset + burst.end,
    }));
    this.#recovery.add(bursts, progress.time);
    this.#waitForStream(progress);
    this.#unreliableLeft = progress.time < end ? 0 : this.#unreliableLeft - progress.arrived - progress.lost;
    return progress.time;
  }

  #receiveRepeats(start: number, until: number): number {
    const progress = this.#recovery.receive(start, until);
    this.#lost -= progress.arrived;
    this.#waitForStream(progress);
    return progress.time;
  }
}

/** Adds a burst. A round trip that a review divides is one burst all the same. */
function addBurst(all: Burst[], burst: Burst): void {
  const last = all.at(-1);
  if (!last || !isContinued(last, burst)) all.push(burst);
  else all[all.length - 1] = { ...burst, start: last.start, lost: last.lost + burst.lost };
}

/** The next bytes, with the same share of them lost. */
function isContinued(last: Burst, next: Burst): boolean {
  return next.start - last.end < 1 && Math.abs(shareLost(next) - shareLost(last)) < 1e-9;
}

function shareLost({ start, end, lost }: Burst): number {
  return lost / (end - start);
}
