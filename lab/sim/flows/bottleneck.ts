import { EventQueue } from '../event-queue.js';
import type { Packet, Queue } from '../link/queues/queue.js';
import type { Random } from '../random.js';

/** On the wire, and what of it is payload. */
export const PACKET_BYTES = 1500;
export const PAYLOAD_BYTES = 1448;

export interface BottleneckOptions {
  readonly queue: Queue;
  /** Bit/s. */
  readonly rate: number;
  /** Round trip of the path without queues. */
  readonly roundTrip: number;
  /** Senders take up to a packet's time to answer an acknowledgement: in step with the link the same flow would be dropped for ever (Floyd and Jacobson, 1992). */
  readonly random: Pick<Random, 'uniform'>;
}

/** A bottleneck, what waits before it and what is on its way after it, packet by packet. The way back carries acknowledgements without delay of its own. */
export class Bottleneck {
  readonly #queue: Queue;
  readonly #packetTime: number;
  readonly #oneWay: number;
  readonly #random: Pick<Random, 'uniform'>;
  readonly #events = new EventQueue<(now: number) => void>();
  #now = 0;
  #isSending = false;
  /** Nothing overtakes what came before: when the last acknowledgement is back. */
  #lastBack = 0;

  constructor({ queue, rate, roundTrip, random }: BottleneckOptions) {
    this.#queue = queue;
    this.#packetTime = (PACKET_BYTES * 8) / rate;
    this.#oneWay = roundTrip / 2;
    this.#random = random;
  }

  get now(): number {
    return this.#now;
  }

  /** Seconds until a request of the client is at the sender. */
  get requestTime(): number {
    return this.#oneWay;
  }

  send(packet: Packet): void {
    packet.arrivedAt = this.#now;
    this.#queue.enqueue(packet, this.#now);
    if (!this.#isSending) this.#sendNext();
  }

  at(time: number, action: (now: number) => void): void {
    this.#events.at(time, action);
  }

  runUntil(end: number): void {
    for (const [time, action] of this.#events.due(end)) {
      this.#now = time;
      action(time);
    }
    this.#now = end;
  }

  #sendNext(): void {
    const packet = this.#queue.dequeue(this.#now);
    this.#isSending = packet !== undefined;
    if (packet) this.at(this.#now + this.#packetTime, () => this.#sent(packet));
  }

  #sent(packet: Packet): void {
    this.at(this.#now + this.#oneWay, () => this.#arrived(packet));
    this.#sendNext();
  }

  #arrived({ sender, sequence }: Packet): void {
    const back = this.#now + this.#oneWay + this.#random.uniform() * this.#packetTime;
    this.#lastBack = Math.max(back, this.#lastBack);
    this.at(this.#lastBack, (now) => sender.acknowledged(sequence, now));
    sender.delivered(sequence, this.#now);
  }
}
