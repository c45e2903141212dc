import { betterLower } from './abandonment.js';
import { bitrateView, type BitrateView } from './bitrates.js';
import {
  bestOption,
  BUFFER_PER_REPRESENTATION,
  usefulUpTo,
  LOW_BUFFER,
  preferredFrom,
  sustainedRepresentation,
  usefulRepresentations,
  zeroScoreLevel,
  type Bola,
} from './bola.js';
import { bufferOf, waitForRoom, type BufferState } from '../../src/abr-star/buffer.js';
import { InsufficientBufferRule } from './insufficient-buffer.js';
import { settle } from './placeholder.js';
import { REVIEW_GRACE } from '../../src/abr-star/progress.js';
import { wholeSegment } from '../../src/abr-star/options.js';
import { receiveRate } from '../../src/abr-star/throughput.js';
import type { Abr, Choice, DecisionState, DownloadProgress, Review } from '../../src/abr-star/types.js';
import { ReceiveRate } from './receive-rate.js';

/**
 * BOLA-E over whole segments with bitrates for utilities (Spiteri et al., "From Theory to Practice: Improving Bitrate
 * Adaptation in the DASH Reference Player"), as Sabre, the authors' simulator, runs it.
 */
export class BolaE implements Abr {
  readonly name = 'bola-e';
  readonly delivery = 'streams';
  readonly #insufficientBuffer = new InsufficientBufferRule();
  #phase: 'start' | 'steady' = 'start';
  /** Seconds of buffer that are only imagined. */
  #placeholder = 0;
  #bola: Bola | undefined;
  #received = new ReceiveRate();

  choose(state: DecisionState): Choice {
    const view = bitrateView(state);
    const bola = bolaEParameters(view, state);
    this.#bola = bola;
    this.#received = new ReceiveRate();
    this.#followDownload(bola, state);
    const buffer = bufferOf(state);
    const wait = waitForRoom(buffer);
    // The buffer shrinks because it is full: for BOLA it stays what it was.
    this.#placeholder += wait;
    const { option, delay } = this.#next(bola, view, state, { ...buffer, bufferLevel: buffer.bufferLevel - wait });
    return { option: wholeSegment(state.options, option.representation), delay: wait + delay };
  }

  review({ state, option, elapsed, bytesReceived }: DownloadProgress): Review {
    this.#received.update(elapsed, bytesReceived);
    const { throughput, timeToFirstByte } = this.#received;
    if (!this.#bola || elapsed < REVIEW_GRACE || throughput === 0) return { action: 'continue' };
    // Another request costs another round trip, in which this download would go on.
    const lower = betterLower(this.#bola, state.options, {
      representation: option.representation,
      bytesLeft: option.bytes - bytesReceived - (timeToFirstByte * throughput) / 8,
      bufferLevel: Math.max(0, state.bufferLevel + this.#placeholder - timeToFirstByte),
    });
    if (!lower) return { action: 'continue' };
    const bufferLevel = Math.max(LOW_BUFFER, preferredFrom(this.#bola, usefulUpTo(this.#bola, lower.representation)));
    this.#limitPlaceholder(bufferLevel - state.bufferLevel);
    this.#received = new ReceiveRate();
    return { action: 'restart', option: lower };
  }

  reset(): void {
    this.#phase = 'start';
    this.#placeholder = 0;
    this.#bola = undefined;
    this.#insufficientBuffer.reset();
  }

  /** `buffer`: as it will be when there is room for the segment. Returns an option of `view`. */
  #next(bola: Bola, { options }: BitrateView, state: DecisionState, buffer: BufferState): Choice {
    const throughput = receiveRate(state.samples);
    if (throughput === undefined) return { option: wholeSegment(options, 0), delay: 0 };
    const sustained = sustainedRepresentation(bola, throughput);
    if (this.#phase === 'start') {
      this.#phase = 'steady';
      this.#placeholder = Math.max(0, preferredFrom(bola, sustained) - buffer.bufferLevel);
      return { option: wholeSegment(options, sustained.representation), delay: 0 };
    }
    const preferred = bestOption(bola, options, {
      bufferLevel: buffer.bufferLevel + this.#placeholder,
      keepRepresentation: 0,
    });
    // Upwards at most one representation beyond what the throughput sustains ("BOLA-U").
    const highest = Math.max(state.lastChoice?.representation ?? 0, sustained.representation);
    const option =
      preferred.representation <= highest ? preferred : options.find((other) => other.representation > highest)!;
    const { placeholder, delay } = settle(this.#placeholder, zeroScoreLevel(bola, option.score), buffer);
    this.#placeholder = placeholder;
    const safe = this.#insufficientBuffer.limit(options, option, { throughput, bufferLevel: buffer.bufferLevel });
    if (safe === option) return { option, delay };
    this.#limitPlaceholder(preferredFrom(bola, usefulUpTo(bola, safe.representation)) - buffer.bufferLevel);
    return { option: safe, delay: 0 };
  }

  /** Fits the placeholder to what was downloaded last, which may have been smaller or bigger than BOLA wanted. */
  #followDownload(bola: Bola, { lastChoice, samples, bufferLevel }: DecisionState): void {
    const download = samples.at(-1);
    if (!lastChoice || !download) return;
    const last = usefulUpTo(bola, lastChoice.representation);
    const before = bufferLevel + download.seconds;
    this.#limitPlaceholder(zeroScoreLevel(bola, last.utility) - before);
    this.#placeholder = Math.max(this.#placeholder, preferredFrom(bola, last) - before);
  }

  #limitPlaceholder(seconds: number): void {
    this.#placeholder = Math.min(this.#placeholder, Math.max(0, seconds));
  }
}

/**
 * Utilities start at 1, hence α = 1, and the target is the buffer's capacity, but at least 2 s a representation above the low buffer level.
 * Changes cost nothing: the way up is limited instead.
 */
function bolaEParameters({ ladder }: BitrateView, { bufferCapacity }: BufferState): Bola {
  const representations = usefulRepresentations(ladder);
  const target = Math.max(bufferCapacity, LOW_BUFFER + BUFFER_PER_REPRESENTATION * representations.length);
  const highest = representations.at(-1)!;
  return { representations, alpha: 1, weight: (target - LOW_BUFFER) / (highest.utility || 1), utilityStep: 0 };
}
