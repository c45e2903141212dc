import { levelReached } from '../../src/delivery/index.js';
import type { ContentSegment } from './content.js';
import type { Loss } from './transport.js';

/** Payload of a datagram that every path takes. */
const DATAGRAM_BYTES = 1200;

/** Simulated bytes are fractions of rates: what is missing by less than this is here. */
const ROUNDING_BYTES = 0.5;

/** The quality step whose frames have all been sent: the last one within `sent` bytes, the first if there is none. */
export function levelSent({ steps }: ContentSegment, sent: number): number {
  return levelReached(steps, sent + ROUNDING_BYTES);
}

/**
 * The score to expect of a segment whose unreliable bytes were sent up to `sent`, in their order of importance, but for
 * what was lost on the way. As in the player's own estimate (`src/manifest/score-estimate.ts`) a frame with a hole costs
 * what the measured curve rises at its place, and the score is never below that of the first step. The frames between two
 * steps are taken as equally large.
 */
export function deliveredScore(segment: ContentSegment, sent: number, lost: Loss): number {
  const { steps } = segment;
  const level = levelSent(segment, sent);
  let score = steps[level]!.score;
  if (lost.bytes <= 0) return score;
  for (let index = 1; index <= level; index++) {
    const [lower, upper] = [steps[index - 1]!, steps[index]!];
    const frameBytes = (upper.bytes - lower.bytes) / (upper.frames - lower.frames);
    score -= chanceOfHole(frameBytes, sent, lost) * (upper.score - lower.score);
  }
  return Math.max(score, steps[0]!.score);
}

/**
 * That a frame overlaps a burst of losses, and that one of its datagrams there is among the lost ones. For bursts of one
 * datagram it is as if losses were spread evenly, for bursts of lost datagrams only it is the overlap alone.
 */
function chanceOfHole(frameBytes: number, sent: number, { bytes, burstBytes, bursts }: Loss): number {
  const meanBurst = burstBytes / bursts;
  const overlap = Math.min(1, (bursts * (meanBurst + frameBytes)) / sent);
  const datagramsInOverlap = (meanBurst * frameBytes) / (meanBurst + frameBytes) / DATAGRAM_BYTES;
  return overlap * (1 - (1 - bytes / burstBytes) ** Math.max(1, datagramsInOverlap));
}
