/** Seconds that a download gets before it is judged, as in dash.js and in the authors' release of VOXEL: links start slowly. */
export const REVIEW_GRACE = 0.5;

/** How much the latest interval between two reviews weighs, as in the authors' release of VOXEL. */
const NEW_SAMPLE_WEIGHT = 0.1;

/** Slow start doubles what comes in a round trip. As long as each stretch brings so many times the most so far, that says what the server dares, not what the link carries; … */
const GROWTH = 1.25;
/** … it is over after so many stretches without. BBR tells the end of its start-up so. */
const PATIENCE = 2;
/** Seconds of a stretch: about a round trip, which the first byte took, but two looks at least. */
const SHORTEST_STRETCH = 0.1;
const LONGEST_STRETCH = 0.4;

/** Throughput of one running download: a moving average over the intervals between reviews, without those of slow start. */
export class ProgressThroughput {
  #elapsed = 0;
  #bytes = 0;
  #sum = 0;
  #weight = 0;
  /** A stretch of slow start: seconds, when it began, what had come, and the most bit/s of those before. */
  #stretch: { readonly seconds: number; readonly start: number; readonly bytes: number } | undefined;
  #most = 0;
  #withoutGrowth = 0;

  /** Takes the download's state in: seconds since its request and bytes so far. */
  update(elapsed: number, bytesReceived: number): void {
    const seconds = elapsed - this.#elapsed;
    const bytes = bytesReceived - this.#bytes;
    if (!(seconds > 0 && bytes >= 0)) return;
    this.#elapsed = elapsed;
    this.#bytes = bytesReceived;
    // Before the first byte it is the round trip that takes time, not the link.
    if (bytesReceived === 0) return;
    if (this.isGrowing) this.#watchStart(elapsed, bytesReceived);
    this.#sum = (1 - NEW_SAMPLE_WEIGHT) * this.#sum + NEW_SAMPLE_WEIGHT * ((bytes * 8) / seconds);
    this.#weight = (1 - NEW_SAMPLE_WEIGHT) * this.#weight + NEW_SAMPLE_WEIGHT;
  }

  /** What comes in a round trip still grows as in slow start: its mean says little of the link. */
  get isGrowing(): boolean {
    return this.#withoutGrowth < PATIENCE;
  }

  #watchStart(elapsed: number, bytesReceived: number): void {
    if (!this.#stretch) {
      const seconds = Math.min(LONGEST_STRETCH, Math.max(SHORTEST_STRETCH, elapsed));
      this.#stretch = { seconds, start: elapsed, bytes: bytesReceived };
      return;
    }
    const { seconds, start, bytes } = this.#stretch;
    if (elapsed - start < seconds) return;
    const rate = (8 * (bytesReceived - bytes)) / (elapsed - start);
    this.#stretch = { seconds, start: elapsed, bytes: bytesReceived };
    if (rate < GROWTH * this.#most) this.#withoutGrowth++;
    else {
      this.#withoutGrowth = 0;
      this.#most = rate;
      this.#sum = 0;
      this.#weight = 0;
    }
  }

  /** Bit/s, without bias towards the zero that it starts from; 0 before the first byte. */
  get throughput(): number {
    return this.#weight === 0 ? 0 : this.#sum / this.#weight;
  }
}
