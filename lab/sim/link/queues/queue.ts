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

/** What comes when it is full is dropped. `limit`: packets. */
export class DropTail implements Queue {
  readonly #packets: Packet[] = [];

  constructor(private readonly limit: number) {}

  enqueue(packet: Packet): void {
    if (this.#packets.length < this.limit) this.#packets.push(packet);
  }

  dequeue(): Packet | undefined {
    return this.#packets.shift();
  }
}
