import { AbrStar2021 } from './abr-star-2021.js';
import { bitrateView, type BitrateView } from './bitrates.js';
import { wholeSegment } from '../../src/abr-star/options.js';
import type { Abr, Choice, DecisionState, DownloadProgress, Review } from '../../src/abr-star/types.js';

/**
 * The BOLA that the thesis compares itself to: its own rule with bitrates for utilities and whole segments for options. A
 * download at risk is thrown away for a lower one (§6.3.3); of a whole segment there is no part to keep.
 */
export class BolaBitrate implements Abr {
  readonly name = 'bola';
  readonly delivery = 'streams';
  readonly #rule: AbrStar2021;
  #seen: { readonly options: DecisionState['options']; readonly view: BitrateView } | undefined;

  /** `bandwidthSafety`: share of a running download's throughput that a review counts on, in (0, 1]. */
  constructor(bandwidthSafety: number) {
    this.#rule = new AbrStar2021({ name: this.name, bandwidthSafety, reviews: 'above-lowest' });
  }

  choose(state: DecisionState): Choice {
    const { option, delay } = this.#rule.choose(this.#byBitrate(state));
    return { option: wholeSegment(state.options, option.representation), delay };
  }

  review(progress: DownloadProgress): Review {
    const state = this.#byBitrate(progress.state);
    const option = { ...progress.option, score: state.ladder[progress.option.representation]!.averageScore };
    const review = this.#rule.review({ ...progress, state, option });
    if (review.action !== 'restart') return review;
    return { action: 'restart', option: wholeSegment(progress.state.options, review.option.representation) };
  }

  reset(): void {
    this.#rule.reset();
  }

  /** Reviews come every 50 ms with the same options. */
  #byBitrate(state: DecisionState): DecisionState {
    if (this.#seen?.options !== state.options) this.#seen = { options: state.options, view: bitrateView(state) };
    return { ...state, ...this.#seen.view };
  }
}
