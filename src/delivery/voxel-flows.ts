import {
  fewestFlows,
  limitFlows,
  rateOf,
  sharedLink,
  type FlowsNeed,
  type FlowsRule,
  type FlowsSample,
  type SharedLink,
} from './flows.js';

/** Connections of the second probe: with two the estimate of the capacity would err by several times the error of the rates. */
const SECOND_PROBE = 4;

/** How far from what the estimates say a rate may be, as a share of that. */
const TOLERANCE = 0.08;

/** One connection less only where that leaves so much more than is wanted: rates vary. */
const MARGIN = 1.05;

/** Bit/s: less shows nothing. */
const LEAST_RATE = 1;

/** Share of the link beyond which no rate is wanted: what the link cannot give is not fought for. */
const MOST_SHARE = 0.75;

/**
 * The plugin's own: two segments over different numbers of connections show capacity and rivals of the bottleneck, and these how many
 * connections the wanted rate takes, at once. From then on every segment shows how many rivals there are; the capacity is estimated anew when a change
 * of the number did not bring what was expected.
 */
export class VoxelFlows implements FlowsRule {
  #flows = 1;
  #last: FlowsSample | undefined;
  #link: SharedLink | undefined;

  choose({ wantedRate }: FlowsNeed): number {
    this.#flows = this.#next(wantedRate);
    return this.#flows;
  }

  add(sample: FlowsSample): void {
    if (sample.rate < LEAST_RATE) return;
    const before = this.#last;
    this.#last = sample;
    if (before && before.flows !== sample.flows && !this.#isAsExpected(sample)) this.#link = sharedLink(before, sample);
    if (!this.#link) return;
    const capacity = Math.max(this.#link.capacity, sample.rate);
    this.#link = { capacity, rivals: sample.flows * (capacity / sample.rate - 1) };
  }

  #isAsExpected({ flows, rate }: FlowsSample): boolean {
    if (!this.#link) return false;
    const expected = rateOf(this.#link, flows);
    return Math.abs(rate - expected) <= TOLERANCE * expected;
  }

  #next(wantedRate: number): number {
    if (!this.#last) return 1;
    if (!this.#link) return this.#last.rate >= wantedRate ? this.#last.flows : SECOND_PROBE;
    const most = MOST_SHARE * this.#link.capacity;
    const needed = limitFlows(fewestFlows(this.#link, Math.min(wantedRate, most))!);
    if (needed >= this.#flows) return needed;
    const withMargin = limitFlows(fewestFlows(this.#link, Math.min(MARGIN * wantedRate, most))!);
    return Math.min(this.#flows, withMargin);
  }
}
