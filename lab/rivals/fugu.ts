import { wholeSegments } from './bitrates.js';
import { bufferOf, waitForRoom } from '../../src/abr-star/buffer.js';
import { bestExpected, type FuguOption } from './fugu-plan.js';
import { fuguNetwork } from './fugu-network.js';
import { memoize } from '../../src/abr-star/memoize.js';
import { wholeSegment } from '../../src/abr-star/options.js';
import {
  chances,
  hiddenUnits,
  linkHistory,
  networkInputs,
  TIME_RATIOS,
  type LinkHistory,
  type Network,
} from './transmission-time.js';
import type { Abr, Choice, DecisionState, Option } from '../../src/abr-star/types.js';

/** How many segments a plan covers (Yan et al., §4.5). */
const HORIZON = 5;

/**
 * What a second of stall costs, in ranges of the ladder's scores. The paper's 100 dB of SSIM are some twelve; five lose fewer stalls
 * than they gain score on the development traces (docs/ABR.md).
 */
const STALL_WEIGHT = 5;

/**
 * Like Fugu: model-predictive control over what a small network, trained on recorded links, says of the time that each download
 * will take (Yan et al., "Learning in situ: a randomized experiment in video streaming", NSDI 2020). Published without abandonment.
 */
export class Fugu implements Abr {
  readonly name = 'fugu';
  readonly delivery = 'streams';
  readonly #network: Network;
  readonly #wholeSegments = memoize(wholeSegments);

  constructor(network: Network = fuguNetwork) {
    this.#network = network;
  }

  choose(state: DecisionState): Choice {
    const { ladder, options, upcoming, lastChoice } = state;
    const buffer = bufferOf(state);
    const delay = waitForRoom(buffer);
    const history = linkHistory(state.samples);
    if (!history) return { option: wholeSegment(options, 0), delay };
    const ahead = (upcoming ?? Array.from({ length: HORIZON }, () => options)).slice(1, HORIZON);
    const segments = [options, ...ahead].map(this.#wholeSegments);
    const scores = ladder.map(({ averageScore }) => averageScore);
    const first = bestExpected(
      segments.map((segment) => segment.map((option) => this.#foretold(option, history))),
      {
        ...{ ...buffer, bufferLevel: buffer.bufferLevel - delay },
        score: lastChoice?.score,
        stallWeight: STALL_WEIGHT * (Math.max(...scores) - Math.min(...scores)),
      },
    );
    return { option: segments[0]![first]!, delay };
  }

  reset(): void {
    // Remembers nothing that depends on the playback.
  }

  #foretold({ score, bytes }: Option, history: LinkHistory): FuguOption {
    const expected = (bytes * 8) / history.rate;
    return {
      score,
      seconds: TIME_RATIOS.map((ratio) => ratio * expected),
      chances: chances(this.#network, hiddenUnits(this.#network, networkInputs(history, bytes))),
    };
  }
}
