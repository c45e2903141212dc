import { INITIAL_WINDOW } from '../../../src/delivery/schedule.js';
import { EventQueue } from '../event-queue.js';
import type { Transport } from '../link/transport.js';

/** Seconds of a path's work over which its rate is averaged: what was seen half a second ago weighs half, as in the player (`path-traffic.ts`). */
const MEMORY = 0.5 / Math.LN2;

/** Bytes per second: before anything came, and what a path is taken for at least. */
const FIRST_RATE = 125_000;
const LEAST_RATE = 1_000;

/** Less than this is the rounding of fractions of bytes. */
const ROUNDING_BYTES = 0.5;

/** What was asked for. */
export interface Order<Piece> {
  readonly piece: Piece;
  readonly bytes: number;
}

interface Waiting<Piece> extends Order<Piece> {
  /** Bytes that have not come. */
  left: number;
  /** Seconds: before that what has come cannot be used, since something before it is being repeated. */
  usable: number;
}

/**
 * A session with one address of the service, which answers in turn; each answer begins a round trip after it was asked for at the earliest. It
 * measures its own rate, as a player does.
 */
export class PathSession<Piece> {
  readonly cost: number;
  readonly roundTrip: number;
  readonly #transport: Transport;
  #waiting: Waiting<Piece>[] = [];
  /** Those whose first byte cannot come yet; the server is sending the others. */
  readonly #asked = new EventQueue<Waiting<Piece>>();
  #begun = 0;
  #time = 0;
  #lastCame = 0;
  #rate = FIRST_RATE;
  #measured = 0;

  constructor(transport: Transport, cost = 0) {
    this.#transport = transport;
    this.roundTrip = transport.latency;
    this.cost = cost;
  }

  /** Bytes that were asked for and are not here. */
  get queued(): number {
    return this.#waiting.reduce((sum, { left }) => sum + left, 0);
  }

  /** Bytes per second. */
  get rate(): number {
    return this.#rate;
  }

  /** Until anything has come nothing is known of the path, as in the player. Bytes. */
  get window(): number {
    return this.#measured === 0 ? INITIAL_WINDOW : Infinity;
  }

  /** Seconds since anything came, while bytes are owed. */
  get silence(): number {
    return this.#waiting.length === 0 ? 0 : this.#time - this.#lastCame;
  }

  ask(order: Order<Piece>): void {
    if (this.#waiting.length === 0) this.#lastCame = this.#time;
    const waiting = { ...order, left: order.bytes, usable: 0 };
    this.#waiting.push(waiting);
    this.#asked.at(this.#time + this.roundTrip, waiting);
  }

  /** Goes on to `until`, in seconds. Returns what is whole, with the time since when, in the order in which it was asked for. */
  advance(until: number): (Order<Piece> & { readonly at: number })[] {
    const whole: (Order<Piece> & { readonly at: number })[] = [];
    const start = this.#begun > 0 ? this.#time : Math.max(this.#time, Math.min(until, this.#asked.nextAt));
    let came = 0;
    while (this.#time < until && this.#waiting.length > 0) {
      this.#begin();
      const [head] = this.#waiting as [Waiting<Piece>];
      const to = Math.min(until, this.#asked.nextAt);
      if (this.#begun > 0) {
        const progress = this.#transport.receive(head.left, 'streams', to);
        head.left -= progress.arrived;
        head.usable = Math.max(head.usable, progress.usable);
        came += progress.arrived;
        this.#time = progress.time;
        if (progress.arrived > 0) this.#lastCame = progress.time;
        if (head.left >= ROUNDING_BYTES) continue;
        whole.push({ piece: head.piece, bytes: head.bytes, at: head.usable });
        this.#waiting.shift();
        this.#begun--;
      } else this.#time = to;
    }
    this.#time = until;
    this.#measure(came, until - start);
    return whole;
  }

  /** The server has what was asked for half a round trip ago; that of an idle server begins with a request of its own. */
  #begin(): void {
    for (const [, { left }] of this.#asked.due(this.#time)) {
      if (this.#begun === 0) this.#transport.request(this.#time, left, this.#time - this.roundTrip);
      else this.#transport.askMore(left);
      this.#begun++;
    }
  }

  #measure(bytes: number, seconds: number): void {
    if (seconds <= 0 || (bytes === 0 && this.#measured === 0)) return;
    this.#measured += seconds;
    const weight = Math.max(1 - Math.exp(-seconds / MEMORY), seconds / this.#measured);
    this.#rate = Math.max(LEAST_RATE, this.#rate + weight * (bytes / seconds - this.#rate));
  }
}
