/** Milliseconds that count as recent, and between two samples. */
const WINDOW_MS = 1000;
const SPACING_MS = 50;

/** Milliseconds of samples without which nothing is said: one burst is no rate. */
const LEAST_MS = 250;

/** Rate at which a download came in the last second. Times in ms. */
export class RecentRate {
  readonly #samples: { readonly bytes: number; readonly at: number }[] = [];

  /** So many bytes of it are here now. */
  add(bytes: number, at: number): void {
    const samples = this.#samples;
    const last = samples.at(-1);
    if (last && at - last.at < SPACING_MS) return;
    samples.push({ bytes, at });
    // The first one is where the second begins.
    while (samples.length > 1 && at - samples[1]!.at >= WINDOW_MS) samples.shift();
  }

  /** Bit/s, with so many bytes here now; Infinity: not known yet. */
  rate(bytes: number, at: number): number {
    const first = this.#samples[0];
    const elapsed = first ? at - first.at : 0;
    return elapsed < LEAST_MS ? Infinity : (8000 * (bytes - first!.bytes)) / elapsed;
  }
}
