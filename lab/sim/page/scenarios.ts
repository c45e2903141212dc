import type { Path } from './network.js';

/** Two interfaces: the first like a fixed line with WLAN, the second like 3G or LTE (thesis §3.4.2). */
export interface Scenario {
  readonly paths: readonly [Path, Path];
  /** Group by the rate of the first interface: scenarios of a group stand together in the tables. */
  readonly group: string;
}

/** Table 3.1: milliseconds and Mbit/s. */
const FIRST = { roundTrips: [10, 20, 30, 50], rates: [0.5, 2, 6, 12, 20, 50] };
const SECOND = { roundTrips: [20, 50, 100, 200], rates: [0.5, 5, 20, 50] };

/** Every combination: 4 × 6 × 4 × 4 = 384. */
export function scenarios(): Scenario[] {
  return pathsOf(FIRST).flatMap((first) =>
    pathsOf(SECOND).map((second): Scenario => ({ paths: [first, second], group: groupOf(first) })),
  );
}

function pathsOf({ roundTrips, rates }: typeof FIRST): Path[] {
  return roundTrips.flatMap((ms) => rates.map((mbps) => ({ roundTrip: ms / 1000, rate: (mbps * 1e6) / 8 })));
}

function groupOf({ rate }: Path): string {
  const mbps = (rate * 8) / 1e6;
  if (mbps < 6) return '0.5 and 2';
  return mbps < 20 ? '6 and 12' : '20 and 50';
}
