import { BolaSsim } from './bola-ssim.js';
import { ProgressThroughput, REVIEW_GRACE } from '../../src/abr-star/progress.js';
import type { Abr, Choice, DecisionState, DownloadProgress, Option, Review } from '../../src/abr-star/types.js';

/** The variants of one rule. */
export interface AbrStar2021Options {
  readonly name: string;
  /** Share of a running download's throughput that a review counts on, in (0, 1]. */
  readonly bandwidthSafety: number;
  /** The authors' release leaves downloads of the lowest representation alone. */
  readonly reviews: 'above-lowest' | 'all';
  readonly delivery?: 'streams';
}

/** BOLA-SSIM with smart abandonment: a download that is late may be kept as it is, or restarted lower (thesis §6.3.3). */
export class AbrStar2021 implements Abr {
  readonly name: string;
  readonly delivery?: 'streams';
  readonly #bola = new BolaSsim();
  readonly #bandwidthSafety: number;
  readonly #lowestReviewed: number;
  #progress = new ProgressThroughput();

  constructor({ name, bandwidthSafety, reviews, delivery }: AbrStar2021Options) {
    this.name = name;
    this.delivery = delivery;
    this.#bandwidthSafety = bandwidthSafety;
    this.#lowestReviewed = reviews === 'all' ? 0 : 1;
  }

  choose(state: DecisionState): Choice {
    this.#progress = new ProgressThroughput();
    return this.#bola.choose(state);
  }

  review(progress: DownloadProgress): Review {
    const { state, option, elapsed, bytesReceived } = progress;
    if (option.representation < this.#lowestReviewed) return { action: 'continue' };
    this.#progress.update(elapsed, bytesReceived);
    // While nothing plays yet, there is more time.
    if (elapsed < (state.lastChoice ? REVIEW_GRACE : state.segmentDuration)) return { action: 'continue' };

    const { throughput } = this.#progress;
    if ((option.bytes - bytesReceived) * 8 <= throughput * state.bufferLevel) return { action: 'continue' };

    const winner = this.#bola.preferred(state, stillToBeHad(progress), this.#bandwidthSafety * throughput);
    if (winner.representation < option.representation) {
      this.#progress = new ProgressThroughput();
      return { action: 'restart', option: winner };
    }
    const hasArrived = progress.phase === 'unreliable' && winner.level <= progress.levelReceived;
    return { action: hasArrived ? 'keep' : 'continue' };
  }

  reset(): void {
    this.#bola.reset();
    this.#progress = new ProgressThroughput();
  }
}

/**
 * What the segment may still become: a lower representation from its start, or a prefix of the one that is loading,
 * at the price of the bytes that are not here yet. As prefixes of both compete on that price, a lower one that costs
 * more than finishing is dominated: restarting must pay.
 */
function stillToBeHad({ state, option, bytesReceived, phase, levelReceived }: DownloadProgress): Option[] {
  const firstLevel = phase === 'reliable' ? 0 : levelReceived;
  const missing = (prefix: Option): Option => ({ ...prefix, bytes: Math.max(0, prefix.bytes - bytesReceived) });
  const others = state.options.flatMap((other) => {
    if (other.representation < option.representation) return [other];
    const isPrefix =
      other.representation === option.representation && other.level >= firstLevel && other.level < option.level;
    return isPrefix ? [missing(other)] : [];
  });
  return [...others, missing(option)];
}
