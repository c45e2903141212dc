import type { Link } from './link.js';
import type { Delivery, Progress, Transport } from './transport.js';

/**
 * The simplest server, Sabre's (Spiteri et al., "From Theory to Practice"): after `latency` seconds the bytes come at the
 * link's rate, and none is lost.
 */
export class FlatTransport implements Transport {
  readonly latency: number;
  readonly #link: Link;
  #time = 0;
  #received = 0;

  constructor(link: Link, latency: number) {
    this.#link = link;
    this.latency = latency;
  }

  get received(): number {
    return this.#received;
  }

  request(time: number, _bytes: number, sentAt = time): void {
    this.#time = Math.max(time, sentAt + this.latency);
  }

  askMore(): void {
    // A request is known by its time alone.
  }

  receive(bytes: number, _delivery: Delivery, until: number): Progress {
    if (until <= this.#time) return { time: until, usable: until, arrived: 0, lost: 0, gaps: [], bursts: [] };
    const possible = until < Infinity ? this.#link.bytesBetween(this.#time, until) : Infinity;
    const start = this.#time;
    this.#time = possible >= bytes ? Math.min(until, this.#link.timeToCarry(start, bytes)) : until;
    const arrived = Math.min(bytes, possible);
    this.#received += arrived;
    return { time: this.#time, usable: this.#time, arrived, lost: 0, gaps: [], bursts: [] };
  }
}
