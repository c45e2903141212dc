/** Milliseconds that count as recent, and between two samples. */
const WINDOW_MS = 1000;
const SPACING_MS = 50;

/** Milliseconds of samples without which nothing is said: one burst is no rate. */
const LEAST_MS = 250;

interface Sample {
  /** Bytes of the download that were here. */
  readonly bytes: number;
  /** Milliseconds. */
  readonly at: number;
}

/**
 * Rate of a download, as it came so far and in the last second. A second without a byte was an outage: what came before it, and its time, say
 * nothing of the link that is there again. Times in ms.
 */
export class RecentRate {
  #samples: Sample[] = [];
  /** When bytes came again after an outage. */
  #resumed: Sample | undefined;

  /** So many bytes of it are here now. */
  add(bytes: number, at: number): void {
    const last = this.#samples.at(-1);
    if (last && at - last.at < SPACING_MS) return;
    const sample = { bytes, at };
    if (last && at - last.at >= WINDOW_MS && bytes > last.bytes) {
      this.#samples = [];
      this.#resumed = sample;
    }
    this.#samples.push(sample);
    // The first one is where the second begins.
    while (this.#samples.length > 1 && at - this.#samples[1]!.at >= WINDOW_MS) this.#samples.shift();
  }

  /** Bit/s, the lower of both, with so many bytes here now, `elapsed` ms after it began. */
  rate(bytes: number, at: number, elapsed: number): number {
    const began = this.#resumed ?? { bytes: 0, at: at - elapsed };
    const [first] = this.#samples;
    const isKnown = first !== undefined && at - first.at >= LEAST_MS;
    return Math.min(rateSince(began, bytes, at), isKnown ? rateSince(first, bytes, at) : Infinity);
  }
}

function rateSince(begin: Sample, bytes: number, at: number): number {
  return (8000 * (bytes - begin.bytes)) / Math.max(1, at - begin.at);
}
