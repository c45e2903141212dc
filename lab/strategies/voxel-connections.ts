import {
  fewestConnections,
  limitConnections,
  rateOf,
  sharedLink,
  type ConnectionsNeed,
  type ConnectionsRule,
  type ConnectionsSample,
  type SharedLink,
} from './connections.js';
import { sum } from '../../src/delivery/sum.js';

/** Connections of the second probe: with two the estimate of the capacity would err by several times the error of the rates. */
const SECOND_PROBE = 4;

/** How far from what the estimates say a rate may be, as a share of that. */
const TOLERANCE = 0.08;

/** One connection less only where that leaves so much more than is wanted: rates vary. */
const MARGIN = 1.05;

/**
 * Mean spread of what connections bring above which they have no queues of their own (FQ-CoDel: .02 to .07, one queue for all: .08 to .3, `npm run
 * simulate -- connections`), of how many segments, and for how many more there is one connection then.
 */
const SHARED_SPREAD = 0.1;
const SPREAD_SEGMENTS = 5;
const STEPS_ASIDE = 50;

/** Bit/s: less shows nothing. */
const LEAST_RATE = 1;

/** Share of the link beyond which no rate is wanted: what the link cannot give is not fought for. */
const MOST_SHARE = 0.75;

/**
 * The plugin's own: two segments over different numbers of connections show capacity and rivals of the bottleneck, and these how many
 * connections the wanted rate takes, at once. From then on every segment shows how many rivals there are; the capacity is estimated anew when a change
 * of the number did not bring what was expected. Where all share a queue, several connections are at everybody's expense: there it keeps to one.
 */
export class VoxelConnections implements ConnectionsRule {
  #connections = 1;
  #last: ConnectionsSample | undefined;
  #link: SharedLink | undefined;
  /** The latest, newest last. */
  #spreads: readonly number[] = [];
  /** Before that segment it keeps to one. */
  #asideUntil = 0;

  choose({ segment, wantedRate }: ConnectionsNeed): number {
    this.#connections = segment < this.#asideUntil ? 1 : this.#next(wantedRate);
    return this.#connections;
  }

  add(sample: ConnectionsSample): void {
    if (sample.rate < LEAST_RATE) return;
    this.#lookAside(sample);
    const before = this.#last;
    this.#last = sample;
    if (before && before.connections !== sample.connections && !this.#isAsExpected(sample))
      this.#link = sharedLink(before, sample);
    if (!this.#link) return;
    const capacity = Math.max(this.#link.capacity, sample.rate);
    this.#link = { capacity, rivals: sample.connections * (capacity / sample.rate - 1) };
  }

  #lookAside({ segment, spread }: ConnectionsSample): void {
    if (spread === undefined) return;
    this.#spreads = [...this.#spreads, spread].slice(-SPREAD_SEGMENTS);
    if (this.#spreads.length < SPREAD_SEGMENTS || sum(this.#spreads) <= SPREAD_SEGMENTS * SHARED_SPREAD) return;
    this.#spreads = [];
    this.#asideUntil = segment + 1 + STEPS_ASIDE;
  }

  #isAsExpected({ connections, rate }: ConnectionsSample): boolean {
    if (!this.#link) return false;
    const expected = rateOf(this.#link, connections);
    return Math.abs(rate - expected) <= TOLERANCE * expected;
  }

  #next(wantedRate: number): number {
    if (!this.#last) return 1;
    if (!this.#link) return this.#last.rate >= wantedRate ? this.#last.connections : SECOND_PROBE;
    const most = MOST_SHARE * this.#link.capacity;
    const needed = limitConnections(fewestConnections(this.#link, Math.min(wantedRate, most))!);
    if (needed >= this.#connections) return needed;
    const withMargin = limitConnections(fewestConnections(this.#link, Math.min(MARGIN * wantedRate, most))!);
    return Math.min(this.#connections, withMargin);
  }
}
