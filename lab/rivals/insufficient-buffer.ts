import { stepDown } from './safety.js';
import type { Option } from '../../src/abr-star/types.js';

/** Share of the throughput that is counted on: at first, and what remains of it from one segment to the next. */
const FIRST_FACTOR = 0.9;

/** Half the throughput is always counted on. */
const LOWEST_FACTOR = 0.5;

/**
 * Keeps a choice to what arrives before the buffer runs out (Spiteri et al., "From Theory to Practice", the insufficient
 * buffer rule; factors as in Sabre and dash.js).
 */
export class InsufficientBufferRule {
  #factor = FIRST_FACTOR;

  /**
   * `wanted`, or the next option below it that is safe. Ask once per segment: trust falls from one to the next. Throughput
   * in bit/s, `bufferLevel` in seconds.
   */
  limit(
    options: readonly Option[],
    wanted: Option,
    link: { readonly throughput: number; readonly bufferLevel: number },
  ): Option {
    const bytes = (this.#factor * link.throughput * link.bufferLevel) / 8;
    this.#factor = Math.max(LOWEST_FACTOR, FIRST_FACTOR * this.#factor);
    return stepDown(options, wanted, bytes);
  }

  reset(): void {
    this.#factor = FIRST_FACTOR;
  }
}
