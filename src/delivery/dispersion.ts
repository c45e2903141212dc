import type { Dispersion } from '../abr-star/index.js';

export type { Dispersion };

/** Measures how the datagrams of one chunk come. */
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

  /** Undefined: fewer than two have come. */
  get dispersion(): Dispersion | undefined {
    if (this.#first === undefined || this.#packets < 2) return undefined;
    return { packets: this.#packets, bytes: this.#bytes, seconds: (this.#last - this.#first) / 1000 };
  }
}
