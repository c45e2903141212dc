import type { ThroughputSample } from './types.js';

/** Seconds of download after which a sample weighs half; Sabre and dash.js use the same pair for on-demand video. */
const FAST_HALF_LIFE = 3;
const SLOW_HALF_LIFE = 8;

/** How many samples a rule may look back on (`DecisionState.samples`). */
const SAMPLES_KEPT = 20;

/** Average that forgets by download time, not by count, so that many short downloads weigh no more than a long one. */
class TimeWeightedAverage {
  readonly #halfLife: number;
  #sum = 0;
  #weight = 0;

  constructor(halfLife: number) {
    this.#halfLife = halfLife;
  }

  add(value: number, seconds: number): void {
    // expm1 keeps the weight of the shortest download above zero.
    const gained = -Math.expm1((-Math.LN2 * seconds) / this.#halfLife);
    this.#sum += gained * (value - this.#sum);
    this.#weight += gained * (1 - this.#weight);
  }

  /** Divided by the weight seen so far: an unprimed average would start from zero ("bias correction"). */
  get value(): number {
    return this.#sum / this.#weight;
  }
}

/**
 * Throughput estimate over finished downloads: two exponentially weighted averages over download time, the lower of
 * both (Spiteri et al., "From Theory to Practice"). Add neither pauses nor the wait after a trailer.
 */
export class ThroughputEstimator {
  #fast = new TimeWeightedAverage(FAST_HALF_LIFE);
  #slow = new TimeWeightedAverage(SLOW_HALF_LIFE);
  #samples: readonly ThroughputSample[] = [];

  /** Takes one download in. Samples without bytes or time say nothing about the link and are ignored. */
  add(sample: ThroughputSample): void {
    const bitrate = (sample.bytes * 8) / sample.seconds;
    if (!(bitrate > 0 && Number.isFinite(bitrate))) return;
    this.#fast.add(bitrate, sample.seconds);
    this.#slow.add(bitrate, sample.seconds);
    this.#samples = [...this.#samples, sample].slice(-SAMPLES_KEPT);
  }

  /** Bit/s, or undefined before the first sample. */
  get throughput(): number | undefined {
    return this.#samples.length === 0 ? undefined : Math.min(this.#fast.value, this.#slow.value);
  }

  /** The latest samples, newest last, at most 20. */
  get samples(): readonly ThroughputSample[] {
    return this.#samples;
  }
}

/**
 * The same estimate over the latest samples, from the first byte of each to its last, as dash.js and Sabre measure. Bit/s,
 * or undefined without a sample.
 */
export function receiveRate(samples: readonly ThroughputSample[]): number | undefined {
  const estimator = new ThroughputEstimator();
  for (const { bytes, seconds, timeToFirstByte = 0 } of samples) {
    estimator.add({ bytes, seconds: seconds - timeToFirstByte });
  }
  return estimator.throughput;
}
