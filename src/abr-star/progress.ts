/** Seconds that a download gets before it is judged, as in dash.js and in the authors' release of VOXEL: links start slowly. */
export const REVIEW_GRACE = 0.5;

/** How much the latest interval between two reviews weighs, as in the authors' release of VOXEL. */
const NEW_SAMPLE_WEIGHT = 0.1;

/** Throughput of one running download: a moving average over the intervals between reviews. */
export class ProgressThroughput {
  #elapsed = 0;
  #bytes = 0;
  #sum = 0;
  #weight = 0;

  /** Takes the download's state in: seconds since its request and bytes so far. */
  update(elapsed: number, bytesReceived: number): void {
    const seconds = elapsed - this.#elapsed;
    const bytes = bytesReceived - this.#bytes;
    if (!(seconds > 0 && bytes >= 0)) return;
    this.#elapsed = elapsed;
    this.#bytes = bytesReceived;
    // Before the first byte it is the round trip that takes time, not the link.
    if (bytesReceived === 0) return;
    this.#sum = (1 - NEW_SAMPLE_WEIGHT) * this.#sum + NEW_SAMPLE_WEIGHT * ((bytes * 8) / seconds);
    this.#weight = (1 - NEW_SAMPLE_WEIGHT) * this.#weight + NEW_SAMPLE_WEIGHT;
  }

  /** Bit/s, without bias towards the zero that it starts from; 0 before the first byte. */
  get throughput(): number {
    return this.#weight === 0 ? 0 : this.#sum / this.#weight;
  }
}
