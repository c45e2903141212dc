import { wholeSegments } from './bitrates.js';
import { bufferOf, waitForRoom } from '../../src/abr-star/buffer.js';
import { memoize } from '../../src/abr-star/memoize.js';
import { wholeSegment } from '../../src/abr-star/options.js';
import type { Abr, Choice, DecisionState } from '../../src/abr-star/types.js';

/** Shares of the buffer between which the bytes allowed rise from the smallest segment's to the largest's (as on Puffer). */
const LOWER_RESERVOIR = 0.2;
const UPPER_RESERVOIR = 0.8;

/**
 * BBA: the level of the buffer alone says how big the next segment may be (Huang et al., "A Buffer-Based Approach to Rate
 * Adaptation", SIGCOMM 2014: the chunk map of §5, with the reservoirs that Puffer plays it with). Published without abandonment.
 */
export class Bba implements Abr {
  readonly name = 'bba';
  readonly delivery = 'streams';
  readonly #wholeSegments = memoize(wholeSegments);

  choose(state: DecisionState): Choice {
    const { bufferLevel, bufferCapacity, segmentDuration } = bufferOf(state);
    const delay = waitForRoom({ bufferLevel, bufferCapacity, segmentDuration });
    const options = this.#wholeSegments(state.options);
    const sizes = options.map(({ bytes }) => bytes);
    const [smallest, largest] = [Math.min(...sizes), Math.max(...sizes)];
    // A segment has just come, so that the level says nothing below one.
    const lower = Math.max(LOWER_RESERVOIR * bufferCapacity, segmentDuration);
    const rise = (bufferLevel - delay - lower) / (UPPER_RESERVOIR * bufferCapacity - lower);
    const allowed = smallest + Math.min(1, Math.max(0, rise)) * (largest - smallest);
    return { option: options.findLast(({ bytes }) => bytes <= allowed) ?? wholeSegment(options, 0), delay };
  }

  reset(): void {
    // Remembers nothing that depends on the playback.
  }
}
