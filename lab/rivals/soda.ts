import { bufferOf, waitForRoom } from '../../src/abr-star/buffer.js';
import { wholeSegment } from '../../src/abr-star/options.js';
import { bestFirstRate } from './soda-plan.js';
import type { Abr, Choice, DecisionState } from '../../src/abr-star/types.js';

/** How far a plan looks, in seconds of video; its authors find no use in more. */
const HORIZON = 10;

/** The level of the buffer that is aimed at, as a share of what it holds while a segment arrives. */
const TARGET = 0.8;

/**
 * SODA: the first step of the plan that balances distortion, distance of the buffer from its target and switches (Chen et al.,
 * "SODA: An Adaptive Bitrate Controller for Consistent High-Quality Video Streaming", SIGCOMM 2024). Plans with bitrates; only
 * the first download's size is looked at. Published without abandonment.
 */
export class Soda implements Abr {
  readonly name = 'soda';
  readonly delivery = 'streams';

  choose({ throughput, ladder, options, lastChoice, ...state }: DecisionState): Choice {
    const buffer = bufferOf(state);
    const delay = waitForRoom(buffer);
    if (throughput === undefined) return { option: wholeSegment(options, 0), delay };
    const capacity = buffer.bufferCapacity - buffer.segmentDuration;
    const representation = bestFirstRate({
      rates: ladder.map(({ bitrate }) => bitrate),
      throughput,
      downloads: ladder.map((_, index) => (wholeSegment(options, index).bytes * 8) / throughput),
      bufferLevel: buffer.bufferLevel - delay,
      capacity,
      target: TARGET * capacity,
      interval: buffer.segmentDuration,
      steps: Math.max(1, Math.floor(HORIZON / buffer.segmentDuration)),
      last: lastChoice?.representation,
    });
    return { option: wholeSegment(options, representation), delay };
  }

  reset(): void {
    // Remembers nothing that depends on the playback.
  }
}
