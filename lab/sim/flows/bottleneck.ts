import type { Random } from '../random.js';
import type { Packet, Queue } from './queues/queue.js';

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

interface Timer {
  readonly at: number;
  readonly action: (now: number) => void;
}

/** A bottleneck, what waits before it and what is on its way after it, packet by packet. The way back carries acknowledgements without delay of its own. */
export class Bottleneck {
  readonly #queue: Queue;
  readonly #packetTime: number;
  readonly #oneWay: number;
  readonly #random: Pick<Random, 'uniform'>;
  #now = 0;
  /** On the link until then. */
  #sending: Packet | undefined;
  #sentAt = Infinity;
  /** In the order of time: as they reach the client, and as their acknowledgements reach the sender. */
  readonly #arriving = new Line();
  readonly #acknowledging = new Line();
  /** In the order of time. */
  readonly #timers: Timer[] = [];

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
    if (!this.#sending) this.#sendNext();
  }

  at(time: number, action: (now: number) => void): void {
    const after = this.#timers.findLastIndex((timer) => timer.at <= time);
    this.#timers.splice(after + 1, 0, { at: time, action });
  }

  runUntil(end: number): void {
    for (;;) {
      const timer = this.#timers[0]?.at ?? Infinity;
      const next = Math.min(timer, this.#sentAt, this.#arriving.at, this.#acknowledging.at);
      if (next > end) break;
      this.#now = next;
      if (next === timer) this.#timers.shift()!.action(next);
      else if (next === this.#sentAt) this.#sent();
      else if (next === this.#arriving.at) this.#arrived();
      else this.#acknowledged();
    }
    this.#now = end;
  }

  #sent(): void {
    this.#arriving.push(this.#sending!, this.#now + this.#oneWay);
    this.#sendNext();
  }

  #sendNext(): void {
    this.#sending = this.#queue.dequeue(this.#now);
    this.#sentAt = this.#sending ? this.#now + this.#packetTime : Infinity;
  }

  #arrived(): void {
    const packet = this.#arriving.shift();
    this.#acknowledging.push(packet, this.#now + this.#oneWay + this.#random.uniform() * this.#packetTime);
    packet.sender.delivered(packet.sequence, this.#now);
  }

  #acknowledged(): void {
    const packet = this.#acknowledging.shift();
    packet.sender.acknowledged(packet.sequence, this.#now);
  }
}

/** Packets, and when they come. */
class Line {
  #packets: Packet[] = [];
  #times: number[] = [];
  #first = 0;

  /** When the first comes; Infinity: there is none. */
  get at(): number {
    return this.#times[this.#first] ?? Infinity;
  }

  /** Nothing overtakes what came before. */
  push(packet: Packet, at: number): void {
    this.#packets.push(packet);
    this.#times.push(Math.max(at, this.#times.at(-1) ?? 0));
  }

  shift(): Packet {
    const packet = this.#packets[this.#first++]!;
    if (this.#first > 4096) {
      this.#packets = this.#packets.slice(this.#first);
      this.#times = this.#times.slice(this.#first);
      this.#first = 0;
    }
    return packet;
  }
}
