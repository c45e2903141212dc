import type { ThroughputSample } from './types.js';

/** Seconds of download after which a sample weighs half; Sabre and dash.js use the same pair for on-demand video. */
const FAST_HALF_LIFE = 3;
const SLOW_HALF_LIFE = 8;

/** How many samples a rule may look back on (`DecisionState.samples`). */
const SAMPLES_KEPT = 20;

/**
 * Averages that forget by download time, not by count, so that many short downloads weigh no more than a long one. Of several,
 * each with its half-life in seconds, the lowest counts.
 */
class RateAverage {
  #parts: readonly { readonly halfLife: number; sum: number; weight: number }[];

  constructor(...halfLives: readonly number[]) {
    this.#parts = halfLives.map((halfLife) => ({ halfLife, sum: 0, weight: 0 }));
  }

  /** A rate in bit/s that held for some seconds. */
  add(bitrate: number, seconds: number): void {
    for (const part of this.#parts) {
      // expm1 keeps the weight of the shortest download above zero.
      const gained = -Math.expm1((-Math.LN2 * seconds) / part.halfLife);
      part.sum += gained * (bitrate - part.sum);
      part.weight += gained * (1 - part.weight);
    }
  }

  scale(factor: number): void {
    for (const part of this.#parts) part.sum *= factor;
  }

  copy(): RateAverage {
    const copy = new RateAverage();
    copy.#parts = this.#parts.map((part) => ({ ...part }));
    return copy;
  }

  /** Divided by the weight seen so far: an unprimed average would start from zero ("bias correction"). None before the first rate. */
  get value(): number {
    return Math.min(...this.#parts.map(({ sum, weight }) => sum / weight));
  }
}

/** Whether bit/s say anything about a link. */
function isRate(bitrate: number): boolean {
  return bitrate > 0 && Number.isFinite(bitrate);
}

/**
 * Throughput estimate over finished downloads: two exponentially weighted averages over download time, the lower of
 * both (Spiteri et al., "From Theory to Practice"). Add neither pauses nor the wait after a trailer.
 */
export class ThroughputEstimator {
  #average = new RateAverage(FAST_HALF_LIFE, SLOW_HALF_LIFE);
  /** The latest samples, newest last, at most 20. */
  samples: readonly ThroughputSample[] = [];

  /** Takes one download in. Samples without bytes or time say nothing about the link and are ignored. */
  add(sample: ThroughputSample): void {
    const bitrate = (sample.bytes * 8) / sample.seconds;
    if (!isRate(bitrate)) return;
    this.#average.add(bitrate, sample.seconds);
    this.samples = [...this.samples, sample].slice(-SAMPLES_KEPT);
  }

  /** The link has become so many times what it was: one of several paths has come or gone. */
  scale(factor: number): void {
    if (!isRate(factor)) return;
    this.#average.scale(factor);
    this.samples = this.samples.map((sample) => ({ ...sample, bytes: sample.bytes * factor }));
  }

  /** The estimate with one more sample, of a download that is still under way; this one stays as it is. */
  with(sample: ThroughputSample): ThroughputEstimator {
    const estimator = new ThroughputEstimator();
    estimator.#average = this.#average.copy();
    estimator.samples = this.samples;
    estimator.add(sample);
    return estimator;
  }

  /** Bit/s, or undefined before the first sample. */
  get throughput(): number | undefined {
    return this.samples.length === 0 ? undefined : this.#average.value;
  }
}

/**
 * The same estimate over the latest samples, from the first byte of each to its last, as dash.js and Sabre measure. Bit/s,
 * or undefined without a sample.
 */
export function receiveRate(samples: readonly ThroughputSample[]): number | undefined {
  return averageRate(samples, new RateAverage(FAST_HALF_LIFE, SLOW_HALF_LIFE));
}

/** One average alone, of seconds of download that weigh half: what a link does now, for a rule that is cautious by itself. As `receiveRate`. */
export function recentRate(samples: readonly ThroughputSample[], halfLife: number): number | undefined {
  return averageRate(samples, new RateAverage(halfLife));
}

function averageRate(samples: readonly ThroughputSample[], average: RateAverage): number | undefined {
  let isEmpty = true;
  for (const { bytes, seconds, timeToFirstByte = 0 } of samples) {
    const received = seconds - timeToFirstByte;
    const bitrate = (bytes * 8) / received;
    if (!isRate(bitrate)) continue;
    average.add(bitrate, received);
    isEmpty = false;
  }
  return isEmpty ? undefined : average.value;
}
