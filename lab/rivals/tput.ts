import { bitrateView } from './bitrates.js';
import { bufferOf, waitForRoom } from '../../src/abr-star/buffer.js';
import { InsufficientBufferRule } from './insufficient-buffer.js';
import { REVIEW_GRACE } from '../../src/abr-star/progress.js';
import { wholeSegment } from '../../src/abr-star/options.js';
import { receiveRate } from '../../src/abr-star/throughput.js';
import type {
  Abr,
  Choice,
  DecisionState,
  DownloadProgress,
  LadderRepresentation,
  Option,
  Review,
} from '../../src/abr-star/types.js';
import { ReceiveRate } from './receive-rate.js';

/** Share of the throughput that a representation may take. */
const SAFETY = 0.9;

/** A download is given up if it would take more than this many segment durations. */
const ABANDON_AFTER = 1.8;

/**
 * The highest bitrate that the throughput sustains, with the insufficient buffer rule and the abandonment that dash.js and
 * Sabre put beside it (ThroughputRule, InsufficientBufferRule, AbandonRequestsRule; the same numbers).
 */
export class Tput implements Abr {
  readonly name = 'tput';
  readonly delivery = 'streams';
  readonly #insufficientBuffer = new InsufficientBufferRule();
  #received = new ReceiveRate();

  choose(state: DecisionState): Choice {
    this.#received = new ReceiveRate();
    const delay = waitForRoom(bufferOf(state));
    const throughput = receiveRate(state.samples);
    if (throughput === undefined) return { option: wholeSegment(state.options, 0), delay };
    const { options } = bitrateView(state);
    const option = this.#insufficientBuffer.limit(options, sustained(options, state.ladder, throughput), {
      throughput,
      bufferLevel: state.bufferLevel - delay,
    });
    return { option: wholeSegment(state.options, option.representation), delay };
  }

  review({ state, option, elapsed, bytesReceived }: DownloadProgress): Review {
    this.#received.update(elapsed, bytesReceived);
    const { throughput } = this.#received;
    if (elapsed < REVIEW_GRACE || throughput === 0) return { action: 'continue' };
    const bytesLeft = option.bytes - bytesReceived;
    const expected = elapsed + (bytesLeft * 8) / throughput;
    if (expected <= ABANDON_AFTER * state.segmentDuration) return { action: 'continue' };
    const lower = sustained(state.options, state.ladder, throughput);
    if (lower.representation >= option.representation || lower.bytes >= bytesLeft) return { action: 'continue' };
    this.#received = new ReceiveRate();
    return { action: 'restart', option: lower };
  }

  reset(): void {
    this.#insufficientBuffer.reset();
  }
}

/** The whole segment of the highest representation that `throughput` bit/s sustains with a margin, or the lowest. */
function sustained(options: readonly Option[], ladder: readonly LadderRepresentation[], throughput: number): Option {
  const representation = ladder.findLastIndex(({ bitrate }) => bitrate <= SAFETY * throughput);
  return wholeSegment(options, representation);
}
