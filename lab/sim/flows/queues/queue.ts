/** A packet on its way through the bottleneck. All have the same size. Seconds. */
export interface Packet {
  /** Number of the flow, by which FQ-CoDel chooses the queue: flows that share one collide. */
  readonly bucket: number;
  /** Hears when it reaches the client, and when its acknowledgement is back. */
  readonly sender: Readonly<Record<'delivered' | 'acknowledged', (sequence: number, now: number) => void>>;
  readonly sequence: number;
  arrivedAt: number;
}

/** A queue discipline. Calls are in the order of time, which is in seconds. What is dropped is gone without a word. */
export interface Queue {
  enqueue(packet: Packet, now: number): void;
  /** The packet to send now; undefined: there is none. */
  dequeue(now: number): Packet | undefined;
}

/** Packets in the order of their arrival. */
export class Fifo {
  #packets: (Packet | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#packets.length - this.#first;
  }

  get head(): Packet | undefined {
    return this.#packets[this.#first];
  }

  push(packet: Packet): void {
    this.#packets.push(packet);
  }

  shift(): Packet | undefined {
    const packet = this.#packets[this.#first];
    if (!packet) return undefined;
    this.#packets[this.#first++] = undefined;
    if (this.#first > 1024 && 2 * this.#first > this.#packets.length) {
      this.#packets = this.#packets.slice(this.#first);
      this.#first = 0;
    }
    return packet;
  }
}

/** What comes when it is full is dropped. `limit`: packets. */
export class DropTail implements Queue {
  readonly #fifo = new Fifo();

  constructor(private readonly limit: number) {}

  enqueue(packet: Packet): void {
    if (this.#fifo.length < this.limit) this.#fifo.push(packet);
  }

  dequeue(): Packet | undefined {
    return this.#fifo.shift();
  }
}
