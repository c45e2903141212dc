import { betterLower } from './abandonment.js';
import { bitrateView } from './bitrates.js';
import { BolaSsim } from './bola-ssim.js';
import { bolaParameters, type Bola } from './bola.js';
import { REVIEW_GRACE } from './progress.js';
import { wholeSegment } from './start.js';
import type { Abr, Choice, DecisionState, DownloadProgress, Review } from './types.js';

/**
 * The BOLA that the thesis compares itself to: the same rule as its BOLA-SSIM, with bitrates for utilities, whole segments
 * only, and BOLA's own abandonment, which throws the download away.
 */
export class BolaBitrate implements Abr {
  readonly name = 'bola';
  readonly #rule = new BolaSsim();
  #bola: Bola | undefined;

  choose(state: DecisionState): Choice {
    const view = { ...state, ...bitrateView(state) };
    this.#bola = bolaParameters(view);
    const { option, delay } = this.#rule.choose(view);
    return { option: wholeSegment(state.options, option.representation), delay };
  }

  review({ state, option, elapsed, bytesReceived }: DownloadProgress): Review {
    if (!this.#bola || elapsed < REVIEW_GRACE || bytesReceived === 0) return { action: 'continue' };
    const lower = betterLower(this.#bola, state.options, {
      representation: option.representation,
      bytesLeft: option.bytes - bytesReceived,
      bufferLevel: this.#rule.effectiveBuffer(state),
    });
    return lower ? { action: 'restart', option: lower } : { action: 'continue' };
  }

  reset(): void {
    this.#rule.reset();
    this.#bola = undefined;
  }
}
