import type { Connections } from './connections-rules.js';
import type { ScheduleName } from './schedules.js';
import { frameParity, noParity } from '../../src/delivery/protection.js';
import { voxel, type Strategy } from '../../src/delivery/strategy.js';

/** A strategy, and what papers do besides. */
export interface LabStrategy extends Strategy {
  /** Whether a segment of which the reliable bytes are here is played as it is when the buffer runs out, whatever the rule says; default false. */
  readonly keepsLate?: boolean | undefined;
  /** Whether the rule is shown a buffer that is a segment shorter after a segment with losses; default false. */
  readonly discountsLosses?: boolean | undefined;
  /** Over which of several paths what is asked for; default `voxel`. */
  readonly schedule?: ScheduleName | undefined;
  /** Over how many connections to one address; undefined: one. */
  readonly flows?: Connections | undefined;
  /** Whether a live segment's frames are one group, of which nothing is sent or used after a gap; default false. */
  readonly isGroup?: boolean | undefined;
}

/** I-frames and headers arrive, the others may not (ClipStream, §4): what is lost stays lost. */
const clipstream: LabStrategy = {
  name: 'clipstream',
  recovery: false,
  retransmission: false,
  deadlines: false,
  protection: noParity,
  pipelineAt: undefined,
};

/**
 * DASH over TCP Hollywood: bytes are used in the order in which they come and repeated without a deadline, the next segment is asked
 * for at 90 % of this one (Rx_T, §3.2), the play-out goes on without what is late, and a loss shortens the buffer that BOLA sees by T.
 */
const hollywood: LabStrategy = {
  name: 'hollywood',
  recovery: true,
  retransmission: false,
  deadlines: false,
  protection: noParity,
  pipelineAt: 0.9,
  keepsLate: true,
  discountsLosses: true,
};

/** The same with 18 + 6 symbols of every frame (§4.1). */
const clipstreamFec: LabStrategy = { ...clipstream, name: 'clipstream-fec', protection: frameParity };

/**
 * I-frames and headers first, on streams, over the path of the least round trip until its window is full; P- and B-frames as datagrams
 * on what is left of it, and then over the slower one; what is not here when its group of pictures is to be played is not waited for
 * (VICTOR, §III).
 */
const victor: LabStrategy = { ...clipstream, name: 'victor', keepsLate: true, schedule: 'victor' };

/** Socket Intents (thesis §3.2): each part of a segment over the path where it arrives first. Everything arrives. */
const eaf: LabStrategy = { ...clipstream, name: 'eaf', recovery: true, schedule: 'eaf' };

/** A bundle as MPTCP and MPQUIC have it by default; over streams, everything arrives. */
const minRtt: LabStrategy = { ...eaf, name: 'min-rtt', schedule: 'min-rtt' };
const roundRobin: LabStrategy = { ...eaf, name: 'round-robin', schedule: 'round-robin' };

/** Chunklets (§2.4): over eight connections to one address, which suffice beside ten bulk flows there (Fig. 4b). */
const chunklets: LabStrategy = { ...eaf, name: 'chunklets', schedule: 'whoever-is-free', flows: 8 };

/** The same with as many as probes find to be worth it (§5.1). */
const adaptiveChunklets: LabStrategy = { ...chunklets, name: 'adaptive-chunklets', flows: 'adaptive' };

/** The plugin's own over as many connections as the wanted score takes. */
const voxelChunklets: LabStrategy = { ...voxel, name: 'voxel-chunklets', schedule: 'whoever-is-free', flows: 'voxel' };

/** The plugin's own with no parity: what is lost is asked for again, or stays. */
const withoutParity: LabStrategy = { ...voxel, name: 'without-parity', protection: noParity };

/**
 * Live streams over Media over QUIC: a group of pictures is what can be given up, so from the first chunk on that is late in part the frames
 * of the segment are missing. On demand as `clipstream`, with deadlines.
 */
const groups: LabStrategy = { ...clipstream, name: 'groups', deadlines: true, isGroup: true };

const STRATEGIES = {
  voxel,
  clipstream,
  'clipstream-fec': clipstreamFec,
  hollywood,
  victor,
  eaf,
  'min-rtt': minRtt,
  'round-robin': roundRobin,
  chunklets,
  'adaptive-chunklets': adaptiveChunklets,
  'voxel-chunklets': voxelChunklets,
  'without-parity': withoutParity,
  groups,
} as const satisfies Readonly<Record<string, LabStrategy>>;

export type StrategyName = keyof typeof STRATEGIES;

/** Every strategy by name, `voxel` first. */
export const strategyNames = Object.keys(STRATEGIES) as readonly StrategyName[];

/** Throws `RangeError` for a name that is none. */
export function strategyOf(name: string): LabStrategy {
  if (Object.hasOwn(STRATEGIES, name)) return STRATEGIES[name as StrategyName];
  throw new RangeError(`strategy must be one of ${strategyNames.join(', ')}, got ${name}`);
}
