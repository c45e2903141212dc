import { AdaptiveConnections } from '../../strategies/adaptive-connections.js';
import { fixedConnections, MOST_CONNECTIONS, type ConnectionsRule } from '../../strategies/connections.js';
import { VoxelConnections } from '../../strategies/voxel-connections.js';
import { FqCodel } from '../link/queues/fq-codel.js';
import { Pie } from '../link/queues/pie.js';
import { DropTail, type Queue } from '../link/queues/queue.js';
import { derivedSeed, seededRandom } from '../random.js';
import { Bottleneck } from './bottleneck.js';
import { FlowsPlayer, type PlayedSegment, type Shares } from './player.js';
import { Sender, type SenderKind } from './sender.js';
import { paperVideo } from './video.js';

/** The paper's link (§4.1.2): bit/s, and seconds there and back. */
const RATE = 12e6;
const ROUND_TRIP = 0.02;

export const QUEUES = {
  FIFO: () => new DropTail(340),
  PIE: (seed) => new Pie(1000, seededRandom(derivedSeed(seed, 'PIE'))),
  'FQ-CoDel': () => new FqCodel(1000),
} as const satisfies Readonly<Record<string, (seed: number) => Queue>>;

export type QueueName = keyof typeof QUEUES;

/** A bulk flow, which is there from one second to another. */
export interface BulkFlow {
  readonly start: number;
  readonly stop: number;
}

export interface Scenario {
  readonly queue: QueueName;
  readonly bulk: readonly BulkFlow[];
  readonly seconds: number;
  readonly seed: number;
  readonly flows: ConnectionsRule;
  /** Default: dealt out, by senders as this project's servers are. */
  readonly shares?: Shares;
  readonly sender?: SenderKind;
  /** The first connection shares a queue of FQ-CoDel with the first bulk flow. */
  readonly collides?: boolean;
}

export interface Outcome {
  /** After the buffer was filled for the first time. */
  readonly segments: readonly PlayedSegment[];
  /** Seconds. */
  readonly stalled: number;
  /** Bit/s of each bulk flow while it was there. */
  readonly bulkRates: readonly number[];
}

/** Seconds: bulk flows are there first (§3.2.2), and the buffer fills before anything counts (§3.3.1). */
const HEAD_START = 10;
export const FILLING = 30;

/** A player beside bulk flows of TCP at one bottleneck. */
export function play({
  queue,
  bulk,
  seconds,
  seed,
  flows,
  shares = 'dealt',
  sender = 'quic',
  collides,
}: Scenario): Outcome {
  const random = seededRandom(derivedSeed(seed, 'senders'));
  const link = new Bottleneck({ queue: QUEUES[queue](seed), rate: RATE, roundTrip: ROUND_TRIP, random });
  const senders = bulk.map(({ start, stop }, index) => {
    const rival = new Sender(link, { kind: 'tcp', bucket: index });
    // Not all at the same moment.
    link.at(start + random.uniform(), () => rival.add(Infinity));
    link.at(stop, () => rival.stop());
    return rival;
  });
  const buckets = Array.from({ length: MOST_CONNECTIONS }, (_, index) =>
    collides && index === 0 ? 0 : bulk.length + index,
  );
  const video = paperVideo(Math.ceil(seconds), seed);
  const player = new FlowsPlayer(link, { video, flows, sender, shares, buckets });
  player.start(HEAD_START);
  link.runUntil(FILLING);
  const before = senders.map(({ bytesDelivered }) => bytesDelivered);
  link.runUntil(seconds);
  return {
    segments: player.played.filter(({ askedAt }) => askedAt >= FILLING),
    stalled: player.stalled,
    bulkRates: senders.map(({ bytesDelivered }, index) => {
      const { start, stop } = bulk[index]!;
      return ((bytesDelivered - before[index]!) * 8) / (Math.min(stop, seconds) - Math.max(start, FILLING));
    }),
  };
}

/** `count` flows that are there all the time. */
export function steady(count: number): BulkFlow[] {
  return Array.from({ length: count }, () => ({ start: 0, stop: Infinity }));
}

/** Seconds between two arrivals or departures of Fig. 12, and with all ten. */
export const STAGE = 100;
const ALL = 3 * STAGE;
export const STAGED_SECONDS = 9 * STAGE + ALL + 10 * STAGE;

/** Ten flows of which one comes every 100 s and, 300 s after the last, one leaves every 100 s (§5.2). */
export function staged(): BulkFlow[] {
  return Array.from({ length: 10 }, (_, index) => ({
    start: index * STAGE,
    stop: 9 * STAGE + ALL + index * STAGE,
  }));
}

export const RULES = {
  'fixed 10': () => fixedConnections(MOST_CONNECTIONS),
  adaptive: () => new AdaptiveConnections(),
  voxel: () => new VoxelConnections(),
} as const satisfies Readonly<Record<string, () => ConnectionsRule>>;

export type RuleName = keyof typeof RULES;
