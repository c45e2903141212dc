// @ts-check

/**
 * @template Packet
 * @typedef {{ packet: Packet, bytes: number, target: number, isReliable: boolean }} Waiting `target`: what the link has sent when
 *   this packet has left
 */

/**
 * One direction of a link: loss, then a drop-tail queue of packets, then the trace that says when each is sent, then a delay. Without
 * a clock: every call says what time it is, in ms since the link began, and times never go back.
 * @template Packet
 */
export class Link {
  #capacity;
  #delayAt;
  #queuePackets;
  #isLost;
  /** @type {Waiting<Packet>[]} */
  #queue = [];
  /** @type {{ packet: Packet, arrival: number }[]} */
  #flying = [];
  #reliableWaiting = 0;
  #lastTarget = 0;
  #counts = { sentBytes: 0, lost: 0, dropped: 0 };

  /**
   * @param {{ capacity: import('./capacity.mjs').Capacity, delayMs: number | ((sent: number) => number), queuePackets: number,
   *   isLost?: (now: number) => boolean }} settings `delayMs`: the same for all packets, or by when they were sent
   */
  constructor({ capacity, delayMs, queuePackets, isLost = () => false }) {
    this.#capacity = capacity;
    this.#delayAt = typeof delayMs === 'function' ? delayMs : () => delayMs;
    this.#queuePackets = queuePackets;
    this.#isLost = isLost;
  }

  /** Bytes that have been sent, packets that were lost at random, and packets that found the queue full. */
  get counts() {
    return { ...this.#counts };
  }

  /** Packets of `offerReliable` that wait to be sent. */
  get reliableWaiting() {
    return this.#reliableWaiting;
  }

  /** A packet of so many bytes arrives. @param {Packet} packet @param {number} bytes @param {number} now */
  offer(packet, bytes, now) {
    this.#send(now);
    if (this.#isLost(now)) {
      this.#counts.lost++;
    } else if (this.#queue.length - this.#reliableWaiting >= this.#queuePackets) {
      this.#counts.dropped++;
    } else {
      this.#enqueue(packet, bytes, now, false);
    }
  }

  /**
   * The same for a part of a byte stream, which is spared all losses: whoever offers it waits while `reliableWaiting` is at its bound.
   * @param {Packet} packet @param {number} bytes @param {number} now
   */
  offerReliable(packet, bytes, now) {
    this.#send(now);
    this.#reliableWaiting++;
    this.#enqueue(packet, bytes, now, true);
  }

  /** What has arrived at the other end by `now`, in order. @param {number} now @returns {Packet[]} */
  arrivals(now) {
    this.#send(now);
    const late = this.#flying.findIndex(({ arrival }) => arrival > now);
    return this.#flying.splice(0, late < 0 ? this.#flying.length : late).map(({ packet }) => packet);
  }

  /** When something happens next, if nothing else arrives; Infinity: nothing will. */
  nextEvent() {
    const [first] = this.#queue;
    const sent = first ? this.#capacity.timeOf(first.target) : Infinity;
    return Math.min(sent, this.#flying[0]?.arrival ?? Infinity);
  }

  /** Multiplies the trace from `now` on. @param {number} scale @param {number} now */
  rescale(scale, now) {
    this.#send(now);
    this.#capacity.rescale(scale, now);
  }

  /** Bytes that the link could have sent until `now`. @param {number} now */
  capacityUntil(now) {
    return this.#capacity.sent(now);
  }

  /** @param {Packet} packet @param {number} bytes @param {number} now @param {boolean} isReliable */
  #enqueue(packet, bytes, now, isReliable) {
    // What the link did not send while nothing waited is gone.
    this.#lastTarget = Math.max(this.#lastTarget, this.#capacity.sent(now)) + bytes;
    this.#queue.push({ packet, bytes, target: this.#lastTarget, isReliable });
  }

  /** Moves what has left by `now` from the queue to the way. @param {number} now */
  #send(now) {
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const departure = this.#capacity.timeOf(first.target);
      if (departure > now) return;
      this.#queue.shift();
      if (first.isReliable) this.#reliableWaiting--;
      this.#counts.sentBytes += first.bytes;
      // No packet overtakes another.
      const arrival = Math.max(departure + this.#delayAt(departure), this.#flying.at(-1)?.arrival ?? 0);
      this.#flying.push({ packet: first.packet, arrival });
    }
  }
}
