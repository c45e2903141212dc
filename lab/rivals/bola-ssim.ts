import {
  bestOption,
  bolaParameters,
  preferredFrom,
  sustainedRepresentation,
  zeroScoreLevel,
  type Bola,
} from './bola.js';
import { bufferOf } from '../../src/abr-star/buffer.js';
import { wholeSegment, withoutDominated } from '../../src/abr-star/options.js';
import { settle } from './placeholder.js';
import { nextSafetyFactor, safeBytes, stepDown } from './safety.js';
import type { Abr, Choice, DecisionState, Option } from '../../src/abr-star/types.js';

/** Share of the throughput that start-up counts on. */
const START_SAFETY = 0.9;

/** BOLA-E over virtual levels, with scores as utilities (thesis §6.3, "BOLA-SSIM"). Downloads run to their end. */
export class BolaSsim implements Abr {
  readonly name = 'bola-ssim';
  #phase: 'first' | 'start' | 'steady' = 'first';
  /** Seconds of buffer that are only imagined, so that BOLA works with buffers shorter than its target. */
  #placeholder = 0;
  #safetyFactor = 1;

  choose(state: DecisionState): Choice {
    const bola = bolaParameters(state);
    const option = this.#next(bola, state);
    const { placeholder, delay } = settle(this.#placeholder, zeroScoreLevel(bola, option.score), bufferOf(state));
    this.#placeholder = placeholder;
    return { option, delay };
  }

  reset(): void {
    this.#phase = 'first';
    this.#placeholder = 0;
    this.#safetyFactor = 1;
  }

  /**
   * What the rule prefers among `options`, whose `bytes` are those still to download, at `throughput` bit/s. Returns
   * one of them and remembers nothing.
   */
  preferred(state: DecisionState, options: readonly Option[], throughput: number): Option {
    const useful = withoutDominated(options);
    const best = bestOption(bolaParameters(state), useful, {
      bufferLevel: state.bufferLevel + this.#placeholder,
      keepRepresentation: state.lastChoice?.representation ?? 0,
    });
    return stepDown(useful, best, safeBytes(throughput, this.#safetyFactor, bufferOf(state)));
  }

  #next(bola: Bola, state: DecisionState): Option {
    const { throughput, options } = state;
    if (this.#phase === 'first' || throughput === undefined) {
      if (this.#phase === 'first') this.#phase = 'start';
      return wholeSegment(options, 0);
    }
    if (this.#phase === 'start') {
      this.#phase = 'steady';
      const sustained = sustainedRepresentation(bola, START_SAFETY * throughput);
      this.#placeholder = preferredFrom(bola, sustained);
      return wholeSegment(options, sustained.representation);
    }
    const option = this.preferred(state, options, throughput);
    this.#safetyFactor = nextSafetyFactor(this.#safetyFactor, bufferOf(state));
    return option;
  }
}
