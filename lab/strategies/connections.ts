import { LEAST_BLOCK } from '../../src/delivery/schedule.js';
import { sum } from '../../src/delivery/sum.js';

/** Connections to one address, at most (Adaptive Chunklets, §5.2). */
export const MOST_CONNECTIONS = 10;

/** What is known when a segment is to be asked for. Rates in bit/s, of throughput: what a rule asks of the link before it chooses a bitrate. */
export interface ConnectionsNeed {
  /** Index of the segment. */
  readonly segment: number;
  /** Position in the ladder of what is to be asked for. */
  readonly representation: number;
  /** Bytes of this segment and of those after it in that representation, as far as they are known. */
  readonly sizes: readonly number[];
  /** With which the highest representation is chosen. */
  readonly topRate: number;
  /** Whether that is what is to be asked for. */
  readonly isTop: boolean;
  /** With which the wanted score is had. */
  readonly wantedRate: number;
}

/** What a segment that is here has shown. */
export interface ConnectionsSample {
  readonly segment: number;
  /** Connections that it came over. */
  readonly connections: number;
  /** Bit/s of all of them together. */
  readonly rate: number;
  /** How unequal they were (`spreadOf`); undefined: not known. */
  readonly spread: number | undefined;
}

/** Says over how many connections to one address the next segment is asked for. It has memory, but no clock and no I/O. */
export interface ConnectionsRule {
  /** From 1 to `MOST_CONNECTIONS`. */
  choose(need: ConnectionsNeed): number;
  add(sample: ConnectionsSample): void;
}

/** Always the same number (chunklets, §2.4). */
export function fixedConnections(connections: number): ConnectionsRule {
  const limited = limitConnections(connections);
  return { choose: () => limited, add: () => {} };
}

export function limitConnections(connections: number): number {
  return Math.min(MOST_CONNECTIONS, Math.max(1, connections));
}

/** Blocks that each connection brings on average, at least, where a difference of one does not count. */
const LEAST_BLOCKS = 6;

/** Coefficient of variation of the bytes that each connection brought; undefined: these are too few to say. */
export function spreadOf(bytes: readonly number[]): number | undefined {
  const mean = sum(bytes) / bytes.length;
  if (bytes.length < 2 || mean < LEAST_BLOCKS * LEAST_BLOCK) return undefined;
  return Math.sqrt(sum(bytes.map((own) => (own - mean) ** 2)) / bytes.length) / mean;
}

/** A bottleneck of which every flow has an equal share: N of its connections together have C · N / (M + N) (Adaptive Chunklets, §4.1.1). */
export interface SharedLink {
  /** C, bit/s. */
  readonly capacity: number;
  /** M, other connections; not always a whole number. */
  readonly rivals: number;
}

/** Bit/s of that many own connections together. */
export function rateOf({ capacity, rivals }: SharedLink, connections: number): number {
  return (capacity * connections) / (rivals + connections);
}

type ConnectionsRate = Pick<ConnectionsSample, 'connections' | 'rate'>;

/** A link that carries more than a thousand times what it was seen to carry is no bottleneck. */
const MOST_CAPACITY = 1000;

/**
 * The link that two segments over different numbers of connections have shown: 1 / rate = 1 / C + (M / C) / N is a line over 1 / N.
 * Where more connections brought no more, the link is full, and there are no rivals.
 */
export function sharedLink(one: ConnectionsRate, other: ConnectionsRate): SharedLink {
  const slope = (1 / one.rate - 1 / other.rate) / (1 / one.connections - 1 / other.connections);
  const most = Math.max(one.rate, other.rate);
  if (slope <= 0) return { capacity: most, rivals: 0 };
  const inverse = Math.max(1 / one.rate - slope / one.connections, 1 / (MOST_CAPACITY * most));
  return { capacity: 1 / inverse, rivals: slope / inverse };
}

/** The fewest connections that have that rate: N = ⌈M · R / (C − R)⌉; undefined where none have. */
export function fewestConnections({ capacity, rivals }: SharedLink, rate: number): number | undefined {
  if (rate >= capacity) return undefined;
  // What is a whole number but for rounding errors is that number.
  return Math.max(1, Math.ceil((rivals * rate) / (capacity - rate) - 1e-9));
}
