import type { Dispersion } from '../abr-star/index.js';

export type { Dispersion };

/** Bytes of a packet of a stream: less than any path has. */
const PACKET_BYTES = 1200;

/** Measures how the frames of one chunk come. */
export class DispersionMeter {
  #first: number | undefined;
  #last = 0;
  #packets = 0;
  #bytes = 0;

  /** A datagram has come, at `now` in ms. */
  add(bytes: number, now: number): void {
    this.#packets++;
    if (this.#first === undefined) this.#first = now;
    else this.#bytes += bytes;
    this.#last = now;
  }

  /** Bytes of a stream were read, at `now` in ms. What is read at once with the first of them says nothing of the link's rate. */
  addFromStream(bytes: number, now: number): void {
    this.#packets += Math.ceil(bytes / PACKET_BYTES);
    this.#first ??= now;
    if (now > this.#first) this.#bytes += bytes;
    this.#last = now;
  }

  /** Undefined: fewer than two have come. */
  get dispersion(): Dispersion | undefined {
    if (this.#first === undefined || this.#packets < 2) return undefined;
    return { packets: this.#packets, bytes: this.#bytes, seconds: (this.#last - this.#first) / 1000 };
  }
}
