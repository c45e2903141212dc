import type { Abr, Choice, DecisionState, DownloadProgress, Option, Review } from '../../src/abr-star/index.js';

/** A rule that is shown whole segments alone, all of them reliable: what planning brings apart from dropping. For simulator and trials. */
export class OverWholeSegments implements Abr {
  readonly name: string;
  readonly firstRate?: number;
  readonly #abr: Abr;
  readonly #whole = new WeakMap<readonly Option[], readonly Option[]>();

  constructor(abr: Abr) {
    this.name = abr.name;
    if (abr.firstRate !== undefined) this.firstRate = abr.firstRate;
    this.#abr = abr;
  }

  choose(state: DecisionState): Choice {
    const choice = this.#abr.choose(this.#seen(state));
    return { ...choice, option: originalOf(choice.option, state) };
  }

  review(progress: DownloadProgress): Review {
    const { state, option } = progress;
    const seen = this.#seen(state);
    const whole = { ...option, reliableBytes: option.bytes };
    const download = { ...progress, state: seen, option: whole, phase: 'reliable' as const, levelReceived: 0 };
    const review = this.#abr.review?.(download) ?? { action: 'continue' };
    return review.action === 'restart' ? { ...review, option: originalOf(review.option, state) } : review;
  }

  reset(): void {
    this.#abr.reset();
  }

  #seen(state: DecisionState): DecisionState {
    const { options, upcoming } = state;
    return { ...state, options: this.#wholeOf(options), upcoming: upcoming?.map((segment) => this.#wholeOf(segment)) };
  }

  /** The same array for the same segment: rules remember what they made of it. */
  #wholeOf(options: readonly Option[]): readonly Option[] {
    const known = this.#whole.get(options);
    if (known) return known;
    const whole = options
      .filter(({ representation }, index) => options[index + 1]?.representation !== representation)
      .map((option) => ({ ...option, reliableBytes: option.bytes }));
    this.#whole.set(options, whole);
    return whole;
  }
}

function originalOf({ representation, level }: Option, { options }: DecisionState): Option {
  return options.find((option) => option.representation === representation && option.level === level)!;
}
