import type { PipelineThreshold } from './pipeline.js';
import { parityForTheTail, type Protection } from './protection.js';

/**
 * How a player deals with losses, with the way between two segments and with bytes that come too late: one choice of each
 * (docs/DELIVERY.md). For simulator and player.
 */
export interface Strategy {
  readonly name: string;
  /** What is lost on the way is asked for again at once. */
  readonly recovery: boolean;
  /** What is missing of segments in the buffer is fetched again in pauses. */
  readonly retransmission: boolean;
  /** Whether requests say when the buffer runs out: what is unsent then stays unsent, and is not asked for again. */
  readonly deadlines: boolean;
  /** Which datagrams come with parity. */
  readonly protection: Protection;
  /**
   * Share of a segment's bytes at which the next segment is asked for; `round-trip`: so late that its first byte follows the last
   * of this one; undefined: when the player asks.
   */
  readonly pipelineAt: number | 'round-trip' | undefined;
}

/** The plugin's own. */
export const voxel: Strategy = {
  name: 'voxel',
  recovery: true,
  retransmission: true,
  deadlines: true,
  protection: parityForTheTail,
  pipelineAt: 'round-trip',
};

/** The same without asking again for anything: every loss stays. */
export function withoutRepeats(strategy: Strategy): Strategy {
  return { ...strategy, recovery: false, retransmission: false };
}

/** Seconds that a request takes besides the round trip: to be made, and to be answered. */
const ANSWER = 0.05;

/** When the next segment is asked for; undefined: not before the player asks. `roundTrip` in seconds. */
export function pipelineThreshold({ pipelineAt }: Strategy, roundTrip: number): PipelineThreshold | undefined {
  if (pipelineAt === undefined) return undefined;
  return pipelineAt === 'round-trip' ? { share: 1, lead: roundTrip + ANSWER } : { share: pipelineAt, lead: 0 };
}
