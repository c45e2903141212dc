import { bitrateView, wholeSegments } from './bitrates.js';
import { bufferOf, waitForRoom } from '../../src/abr-star/buffer.js';
import { robustForecast } from './forecast.js';
import { bestFirstStep, type PlanOption } from './mpc-plan.js';
import { memoize } from '../../src/abr-star/memoize.js';
import { wholeSegment } from '../../src/abr-star/options.js';
import type { Abr, Choice, DecisionState, Option } from '../../src/abr-star/types.js';

/** How many segments a plan covers (Yin et al., §7.1.1). */
const HORIZON = 5;

/**
 * RobustMPC: the first step of the best plan for the next five segments, at a pessimistic throughput (Yin et al., "A
 * Control-Theoretic Approach for Dynamic Adaptive Video Streaming over HTTP", SIGCOMM 2015). Knows the exact sizes
 * (thesis §6.4.6). Published without abandonment: every download runs to its end.
 */
export class Mpc implements Abr {
  readonly name = 'mpc';
  readonly delivery = 'streams';
  readonly #wholeSegments = memoize(wholeSegments);

  choose(state: DecisionState): Choice {
    const buffer = bufferOf(state);
    const delay = waitForRoom(buffer);
    const throughput = robustForecast(state.samples);
    if (throughput === undefined) return { option: wholeSegment(state.options, 0), delay };
    const { options } = bitrateView({ ladder: state.ladder, options: this.#wholeSegments(state.options) });
    const planOptions = (segment: readonly Option[]): PlanOption[] =>
      segment.map(({ representation, bytes }) => ({
        bitrate: state.ladder[representation]!.bitrate / 1e6,
        seconds: (bytes * 8) / throughput,
      }));
    const lastBitrate = state.lastChoice && state.ladder[state.lastChoice.representation]?.bitrate;
    const first = bestFirstStep([options, ...this.#ahead(state)].map(planOptions), {
      ...buffer,
      bufferLevel: buffer.bufferLevel - delay,
      bitrate: lastBitrate && lastBitrate / 1e6,
    });
    return { option: wholeSegment(state.options, options[first]!.representation), delay };
  }

  reset(): void {
    // Remembers nothing that depends on the playback.
  }

  /** The whole segments after the next one; where they are not known, ones like it. */
  #ahead({ options, upcoming }: DecisionState): Option[][] {
    const segments = upcoming ?? Array.from({ length: HORIZON }, () => options);
    return segments.slice(1, HORIZON).map(this.#wholeSegments);
  }
}
