/** How much the latest interval between two reviews weighs (thesis: the release's moving average). */
const NEW_SAMPLE_WEIGHT = 0.1;

/** Throughput of one running download, averaged over the intervals between reviews. */
export class ProgressThroughput {
  #elapsed = 0;
  #bytes = 0;
  #sum = 0;
  #weight = 0;

  /** Takes the download's state in. Intervals before the first byte are the request's way, not the link's rate. */
  update(elapsed: number, bytesReceived: number): void {
    if (elapsed < this.#elapsed || bytesReceived < this.#bytes) this.#restart();
    const seconds = elapsed - this.#elapsed;
    if (seconds <= 0) return;
    const bitrate = ((bytesReceived - this.#bytes) * 8) / seconds;
    this.#elapsed = elapsed;
    if (bytesReceived === 0) return;
    this.#bytes = bytesReceived;
    this.#sum = (1 - NEW_SAMPLE_WEIGHT) * this.#sum + NEW_SAMPLE_WEIGHT * bitrate;
    this.#weight = (1 - NEW_SAMPLE_WEIGHT) * this.#weight + NEW_SAMPLE_WEIGHT;
  }

  /** Bit/s; 0 before the first byte. */
  get throughput(): number {
    return this.#weight === 0 ? 0 : this.#sum / this.#weight;
  }

  #restart(): void {
    this.#elapsed = 0;
    this.#bytes = 0;
    this.#sum = 0;
    this.#weight = 0;
  }
}
