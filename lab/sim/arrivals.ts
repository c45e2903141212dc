import type { Option } from '../../src/abr-star/index.js';
import { Recovery } from './recovery.js';
import type { Burst, Delivery, Progress, StreamGap, Transport } from './link/transport.js';

/** Seconds between two looks for repeats, where the round trip is shorter. */
const SHORTEST_STRETCH = 0.01;

/** Bytes asked for before a download, and how they are received: as in `Retransmission`. */
export interface UrgentBytes {
  readonly bytesLeft: number;
  receive(until: number): number;
}

export interface ArrivalsSetup {
  readonly option: Option;
  readonly delivery: Delivery;
  readonly parityBytes: number;
  readonly urgent: UrgentBytes;
  readonly recovery: Recovery;
}

/** What has come of an option's bytes so far: the reliable ones first, then the others. */
export class Arrivals {
  readonly #option: Option;
  readonly #delivery: Delivery;
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
  /** Gaps of the stream that carries the reliable bytes, and all others where there are no datagrams: positions among the option's bytes. */
  #gaps: readonly StreamGap[] = [];

  constructor({ option, delivery, parityBytes, urgent, recovery }: ArrivalsSetup) {
    this.#option = option;
    this.#delivery = delivery;
    this.#urgent = urgent;
    this.#recovery = recovery;
    this.#reliableLeft = option.reliableBytes;
    this.#unreliableLeft = option.bytes - option.reliableBytes;
    this.#parityLeft = parityBytes;
  }

  /** What can be used of them, as all bytes below. */
  get reliable(): number {
    return Math.min(this.#option.reliableBytes - this.#reliableLeft, this.#readable);
  }

  get lostOnTheWay(): number {
    return this.#lostOnTheWay;
  }

  /** Bytes of the unreliable part that were sent, lost datagrams included. */
  get sent(): number {
    const sent = this.#unreliableSent;
    return this.#delivery === 'streams'
      ? Math.min(sent, Math.max(0, this.#readable - this.#option.reliableBytes))
      : sent;
  }

  get unreliable(): number {
    return this.sent - this.#lost;
  }

  get arrived(): number {
    return this.reliable + this.unreliable;
  }

  get reliableLeft(): number {
    return this.hasAllReliable ? 0 : this.#option.reliableBytes - this.reliable;
  }

  /** Whether lost bytes of the unreliable part before that place are on their way again. */
  isRepeating(end: number): boolean {
    return this.#recovery.isRepeating(end);
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

  get #unreliableSent(): number {
    return this.#option.bytes - this.#option.reliableBytes - this.#unreliableLeft;
  }

  /** What of its stream lies before the first gap that is still open. */
  get #readable(): number {
    return this.#gaps.find(({ filled }) => filled > this.#now)?.at ?? Infinity;
  }

  get #isAllSent(): boolean {
    return this.#reliableLeft <= 0 && this.#unreliableLeft <= 0;
  }

  /** Goes on from `now` until `until` or the last byte. Returns when that was. */
  receive(transport: Transport, now: number, until: number): number {
    const time = this.#receiveAll(transport, now, until);
    this.#now = this.#isAllSent && !this.#recovery.isWaiting ? Math.max(time, Math.min(until, this.#usable)) : time;
    return this.#now;
  }

  #receiveAll(transport: Transport, now: number, until: number): number {
    const delivery = this.#delivery;
    let time = Math.max(now, this.#urgent.receive(until));
    if (this.#reliableLeft > 0 && time < until) {
      const progress = transport.receive(this.#reliableLeft, 'streams', until);
      time = progress.time;
      this.#waitForStream(progress);
      this.#addGaps(progress, this.#option.reliableBytes - this.#reliableLeft);
      this.#reliableUsable = this.#usable;
      // What ends early is complete: sums of fractions of bytes may miss that.
      this.#reliableLeft = time < until ? 0 : this.#reliableLeft - progress.arrived;
    }
    while (this.#unreliableLeft > 0 && time < until) time = this.#receiveUnreliable(transport, time, until);
    if (!this.#isAllSent) return time;
    if (!this.#measured) {
      // Of a stream nobody knows how long it waits for repeats.
      this.#measured =
        delivery === 'streams'
          ? { bytes: this.#option.bytes, time: Math.max(time, this.#usable) }
          : { bytes: this.arrived, time };
      if (this.#recovery.isWaiting) this.#restDue = this.#recovery.waitForTheRest();
    }
    return this.#receiveRepeats(Math.max(time, this.#restDue), until);
  }

  #addGaps({ gaps }: Progress, before: number): void {
    if (gaps.length === 0) return;
    const fresh = gaps.map(({ at, filled }) => ({ at: before + at, filled }));
    this.#gaps = [...this.#gaps.filter(({ filled }) => filled > this.#now), ...fresh];
  }

  #waitForStream({ usable }: Pick<Progress, 'usable'>): void {
    this.#usable = Math.max(this.#usable, usable);
  }

  /** Repeats first; then a round trip's worth of the others at most, for more repeats may have become due. */
  #receiveUnreliable(transport: Transport, start: number, until: number): number {
    const delivery = this.#delivery;
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
    const offset = this.#unreliableSent;
    if (delivery === 'streams') this.#addGaps(progress, this.#option.reliableBytes + offset);
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
