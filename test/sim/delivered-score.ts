import type { ContentSegment } from './content.js';

/** Payload of a datagram that every path takes. */
const DATAGRAM_BYTES = 1200;

/** What has come of a segment's unreliable bytes, in their order of importance. */
export interface UnreliableOutcome {
  /** Bytes up to which the server has sent them. */
  readonly sent: number;
  /** Bytes of those that were lost. */
  readonly lost: number;
}

/** Simulated bytes are fractions of rates: what is missing by less than this is here. */
const ROUNDING_BYTES = 0.5;

/** The quality step whose frames have all been sent: the last one within `sent` bytes, the first if there is none. */
export function levelSent({ steps }: ContentSegment, sent: number): number {
  let level = steps.length - 1;
  while (level > 0 && steps[level]!.bytes > sent + ROUNDING_BYTES) level--;
  return level;
}

/**
 * The score to expect of a segment in which losses have hit some datagrams at random: as in the player's own estimate
 * (`src/manifest/score-estimate.ts`), a frame with a hole costs what the measured curve rises at its place, and the
 * score is never below that of the first step. The frames between two steps are taken as equally large.
 */
export function deliveredScore(segment: ContentSegment, { sent, lost }: UnreliableOutcome): number {
  const { steps } = segment;
  const level = levelSent(segment, sent);
  if (lost <= 0) return steps[level]!.score;
  const lossRate = Math.min(1, lost / sent);
  let score = steps[level]!.score;
  for (let index = 1; index <= level; index++) {
    const [lower, upper] = [steps[index - 1]!, steps[index]!];
    const datagramsPerFrame = (upper.bytes - lower.bytes) / (upper.frames - lower.frames) / DATAGRAM_BYTES;
    const hit = 1 - (1 - lossRate) ** Math.max(1, datagramsPerFrame);
    score -= hit * (upper.score - lower.score);
  }
  return Math.max(score, steps[0]!.score);
}
