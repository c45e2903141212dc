import { limitConnections, type ConnectionsNeed, type ConnectionsRule, type ConnectionsSample } from './connections.js';

/** Segments in which the best place for a probe is looked for (§5.1.1). */
const WINDOW = 10;
/** Segments from the end of a probe to the next window (§5.1.2). */
const INTERVAL = 5;
/** Segments of a probe. */
const TRIPLE = 3;
/** Gain with one connection more, and loss with one less, that counts (§5.1.3). */
const THRESHOLD = 0.08;

type Role = 'more' | 'fewer' | 'same';

/** The three by size, the smallest first. */
const ROLES: readonly Role[] = ['same', 'fewer', 'more'];

interface Probe {
  readonly representation: number;
  /** Roles by segment. */
  readonly roles: ReadonlyMap<number, Role>;
  /** Bit/s. */
  readonly rates: Map<Role, number>;
}

/**
 * Adaptive Chunklets as published (§5.1): in each window of ten segments, the three consecutive ones that differ least in size try N − 1, N
 * and N + 1 connections.
 */
export class AdaptiveConnections implements ConnectionsRule {
  #connections = 1;
  #probe: Probe | undefined;
  /** The segment with which the next window may begin. */
  #nextWindow = 0;
  #topRate: number | undefined;

  choose({ segment, representation, sizes, isTop, topRate }: ConnectionsNeed): number {
    this.#topRate = isTop ? topRate : undefined;
    if (this.#probe && (this.#probe.representation !== representation || segment > lastOf(this.#probe) + TRIPLE))
      this.#probe = undefined;
    if (!this.#probe && segment >= this.#nextWindow) this.#probe = planProbe(segment, representation, sizes);
    return this.#connectionsAs(this.#probe?.roles.get(segment));
  }

  add({ segment, connections, rate }: ConnectionsSample): void {
    const role = this.#probe?.roles.get(segment);
    if (!this.#probe || !role || connections !== this.#connectionsAs(role)) return;
    this.#probe.rates.set(role, rate);
    if (this.#probe.rates.size < TRIPLE) return;
    this.#nextWindow = lastOf(this.#probe) + 1 + INTERVAL;
    this.#connections = this.#decide(this.#probe.rates);
    this.#probe = undefined;
  }

  #connectionsAs(role: Role | undefined): number {
    const step = role === 'more' ? 1 : role === 'fewer' ? -1 : 0;
    return limitConnections(this.#connections + step);
  }

  #decide(rates: ReadonlyMap<Role, number>): number {
    const [same, fewer, more] = ROLES.map((role) => rates.get(role)!) as [number, number, number];
    if (this.#topRate !== undefined && fewer >= this.#topRate) return this.#connectionsAs('fewer');
    // With the best representation there is nothing to be gained.
    if (this.#topRate !== undefined && same >= this.#topRate) return this.#connections;
    if (more > (1 + THRESHOLD) * same) return this.#connectionsAs('more');
    return fewer > (1 - THRESHOLD) * same ? this.#connectionsAs('fewer') : this.#connections;
  }
}

function lastOf({ roles }: Probe): number {
  return Math.max(...roles.keys());
}

/** Undefined: too few segments are known. */
function planProbe(segment: number, representation: number, sizes: readonly number[]): Probe | undefined {
  const window = sizes.slice(0, WINDOW);
  const triples = window.slice(TRIPLE - 1).map((_, at) => window.slice(at, at + TRIPLE));
  if (triples.length === 0) return undefined;
  const spreads = triples.map((triple) => Math.max(...triple) / Math.min(...triple));
  const best = spreads.indexOf(Math.min(...spreads));
  const bySize = [0, 1, 2].sort((a, b) => triples[best]![a]! - triples[best]![b]!);
  return {
    representation,
    roles: new Map(bySize.map((place, rank) => [segment + best + place, ROLES[rank]!])),
    rates: new Map(),
  };
}
