import { Cubic } from '../link/cubic.js';
import { PACKET_BYTES, PAYLOAD_BYTES, type Bottleneck } from './bottleneck.js';

/** A round trip that takes so much longer than the shortest shows a queue (after RFC 9406). */
const QUEUEING = 1.125;

/** Seconds without an acknowledgement, and round trips, after which all that is on its way is taken for lost. */
const LEAST_TIMEOUT = 0.2;
const TIMEOUT_ROUND_TRIPS = 2;
const TIMEOUT_LOOK = 0.05;

/** `tcp`: begins anew after a pause; `quic`: as the servers of this project. */
export type SenderKind = 'tcp' | 'quic';

export interface SenderOptions {
  readonly kind: SenderKind;
  readonly bucket: number;
  /** Payload has reached the client. */
  readonly onDelivered?: (bytes: number, now: number) => void;
}

/** One connection with CUBIC: sends what it is given, and what is lost again. */
export class Sender {
  /** Payload that has reached the client. */
  bytesDelivered = 0;
  readonly #link: Bottleneck;
  readonly #options: SenderOptions;
  readonly #control: Cubic;
  /** Packets to be sent; Infinity: without end. */
  #left = 0;
  #nextSequence = 0;
  /** Sequence numbers from `#firstOnWay` on are on their way, and when they left. */
  #firstOnWay = 0;
  readonly #leftAt = new Map<number, number>();
  /** Losses of what was sent before count once. */
  #recoverUntil = 0;
  #shortest = Infinity;
  #roundTrip = LEAST_TIMEOUT;
  #heardAt = 0;
  #restedSince = 0;
  #isWatching = false;

  constructor(link: Bottleneck, options: SenderOptions) {
    this.#link = link;
    this.#options = options;
    this.#control = new Cubic(PACKET_BYTES, { isPaced: options.kind === 'quic' });
  }

  /** Seconds, smoothed. */
  get roundTrip(): number {
    return this.#roundTrip;
  }

  add(packets: number): void {
    if (this.#left === 0 && this.#onWay === 0) {
      if (this.#nextSequence > 0) this.#control.rest(this.#link.now - this.#restedSince);
      this.#heardAt = this.#link.now;
    }
    this.#left += packets;
    this.#send();
    if (!this.#isWatching) this.#watch();
  }

  /** Sends nothing more than is on its way. */
  stop(): void {
    this.#left = 0;
  }

  readonly delivered = (sequence: number, now: number): void => {
    if (!this.#leftAt.has(sequence)) return;
    this.bytesDelivered += PAYLOAD_BYTES;
    this.#options.onDelivered?.(PAYLOAD_BYTES, now);
  };

  readonly acknowledged = (sequence: number, now: number): void => {
    const leftAt = this.#leftAt.get(sequence);
    // It was taken for lost.
    if (leftAt === undefined) return;
    this.#heardAt = now;
    const roundTrip = now - leftAt;
    this.#shortest = Math.min(this.#shortest, roundTrip);
    this.#roundTrip += (roundTrip - this.#roundTrip) / 8;
    const isFull = (this.#onWay + 1) * PACKET_BYTES > this.#control.size;
    // Nothing overtakes anything: what was sent before this and has not come is lost.
    this.#lose(sequence, now);
    this.#leftAt.delete(sequence);
    this.#firstOnWay = sequence + 1;
    if (isFull && sequence >= this.#recoverUntil)
      this.#control.acknowledge(PACKET_BYTES, now, roundTrip > QUEUEING * this.#shortest);
    this.#send();
    if (this.#left === 0 && this.#onWay === 0) this.#restedSince = now;
  };

  get #onWay(): number {
    return this.#nextSequence - this.#firstOnWay;
  }

  #lose(before: number, now: number): void {
    const lost = before - this.#firstOnWay;
    if (lost === 0) return;
    if (before - 1 >= this.#recoverUntil) {
      this.#control.reduce(now);
      this.#recoverUntil = this.#nextSequence;
    }
    for (let sequence = this.#firstOnWay; sequence < before; sequence++) this.#leftAt.delete(sequence);
    this.#firstOnWay = before;
    this.#left += lost;
  }

  #send(): void {
    while (this.#left > 0 && (this.#onWay + 1) * PACKET_BYTES <= this.#control.size) {
      const sequence = this.#nextSequence++;
      this.#left--;
      this.#leftAt.set(sequence, this.#link.now);
      this.#link.send({ bucket: this.#options.bucket, sender: this, sequence, arrivedAt: 0 });
    }
  }

  /** The last packets of a window may be lost without another that shows it. */
  #watch(): void {
    this.#isWatching = this.#onWay > 0;
    if (!this.#isWatching) return;
    this.#link.at(this.#link.now + TIMEOUT_LOOK, (now) => {
      if (now - this.#heardAt > Math.max(LEAST_TIMEOUT, TIMEOUT_ROUND_TRIPS * this.#roundTrip)) {
        this.#heardAt = now;
        this.#lose(this.#nextSequence, now);
        this.#send();
      }
      this.#watch();
    });
  }
}
