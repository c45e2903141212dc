import type { Packet, Queue } from './queue.js';

/** The standing delay that is acceptable, and how long it must stand before the first drop (RFC 8289 §4.2, §4.3), seconds. */
const TARGET = 0.005;
const INTERVAL = 0.1;

/** Intervals after a dropping state within which the next one goes on at its drop rate (RFC 8289 §5.5). */
const INTERVALS_REMEMBERED = 16;

/** A queue with controlled delay (RFC 8289), one for each flow. */
class CodelQueue {
  readonly packets: Packet[] = [];
  /** Packets left of this turn: a quantum is one. */
  credit = 0;
  isListed = false;
  #firstAbove: number | undefined;
  #isDropping = false;
  #dropNext = 0;
  /** Drops in this dropping state, and when it began. */
  #count = 0;
  #countAtStart = 0;
  #isTooSlow = false;

  /** RFC 8289 §5.5. Returns what is to be sent, and drops from the head before it. */
  dequeue(now: number): Packet | undefined {
    let packet = this.#take(now);
    if (this.#isDropping) {
      this.#isDropping = this.#isTooSlow;
      while (this.#isDropping && now >= this.#dropNext) {
        this.#count++;
        packet = this.#take(now);
        this.#isDropping = this.#isTooSlow;
        if (this.#isDropping) this.#dropNext = this.#afterControlLaw(this.#dropNext);
      }
    } else if (this.#isTooSlow) {
      packet = this.#take(now);
      this.#startDropping(now);
    }
    return packet;
  }

  #take(now: number): Packet | undefined {
    const packet = this.packets.shift();
    if (!packet || now - packet.arrivedAt < TARGET || this.packets.length === 0) {
      this.#firstAbove = undefined;
      this.#isTooSlow = false;
    } else {
      this.#isTooSlow = this.#firstAbove !== undefined && now >= this.#firstAbove;
      this.#firstAbove ??= now + INTERVAL;
    }
    return packet;
  }

  #startDropping(now: number): void {
    const before = this.#count - this.#countAtStart;
    const isRecent = now - this.#dropNext < INTERVALS_REMEMBERED * INTERVAL;
    this.#count = before > 1 && isRecent ? before : 1;
    this.#countAtStart = this.#count;
    this.#dropNext = this.#afterControlLaw(now);
    this.#isDropping = true;
  }

  #afterControlLaw(time: number): number {
    return time + INTERVAL / Math.sqrt(this.#count);
  }
}

/** A CoDel queue for each flow, served in turn packet by packet, new flows first (RFC 8290). `limit`: packets in all of them. */
export class FqCodel implements Queue {
  readonly #queues = new Map<number, CodelQueue>();
  readonly #new: CodelQueue[] = [];
  readonly #old: CodelQueue[] = [];
  #length = 0;

  constructor(private readonly limit: number) {}

  enqueue(packet: Packet): void {
    const queue = this.#queueOf(packet.bucket);
    if (!queue.isListed) {
      queue.isListed = true;
      queue.credit = 1;
      this.#new.push(queue);
    }
    queue.packets.push(packet);
    this.#length++;
    if (this.#length > this.limit) this.#dropFromLongest();
  }

  /** RFC 8290 §4.2. */
  dequeue(now: number): Packet | undefined {
    for (;;) {
      const isNew = this.#new.length > 0;
      const queue = isNew ? this.#new[0] : this.#old[0];
      if (!queue) return undefined;
      const turns = isNew ? this.#new : this.#old;
      if (queue.credit <= 0) {
        queue.credit++;
        turns.shift();
        this.#old.push(queue);
        continue;
      }
      const before = queue.packets.length;
      const packet = queue.dequeue(now);
      this.#length -= before - queue.packets.length;
      if (packet) {
        queue.credit--;
        return packet;
      }
      turns.shift();
      // One that empties waits a round among the old, or it would always be new.
      if (isNew) this.#old.push(queue);
      else queue.isListed = false;
    }
  }

  #queueOf(bucket: number): CodelQueue {
    const known = this.#queues.get(bucket);
    if (known) return known;
    const queue = new CodelQueue();
    this.#queues.set(bucket, queue);
    return queue;
  }

  #dropFromLongest(): void {
    const all = [...this.#queues.values()];
    const longest = all.reduce((most, queue) => (queue.packets.length > most.packets.length ? queue : most));
    longest.packets.shift();
    this.#length--;
  }
}
