import { pairedDifference, type Difference, type Statistic } from '../../sim/report/statistics.js';
import { isLongWait, type TailSession } from '../../sim/report/tails.js';
import type { TrialResult } from '../result.js';

/** After this a session that has not started is given up at the earliest. */
const NEVER_STARTED_SECONDS = 60;

/** What viewers wait for: start-up and stalls. A session that never starts counts as a minute. */
export function waitedSeconds({ startup, stallSeconds }: TrialResult): number {
  return (startup ?? NEVER_STARTED_SECONDS) + stallSeconds;
}

/** Seconds that what was delivered plays. */
export function deliveredSeconds({ bytesDelivered, bitrate }: TrialResult): number {
  return bitrate > 0 ? (8 * bytesDelivered) / bitrate : 0;
}

/** Whether a viewer waits for long, of the time that what was delivered plays and of the wait. */
export function waitsLong(result: TrialResult): boolean {
  const waited = waitedSeconds(result);
  return isLongWait(waited / (waited + deliveredSeconds(result)));
}

/** A session's longest stall, s; null: it had several and was kept before that was. */
function longestStall({ longestStall: known, stalls, stallSeconds }: TrialResult): number | null {
  return known ?? (stalls <= 1 ? stallSeconds : null);
}

/** What a session says of the tails. */
export function tailSession(result: TrialResult): TailSession {
  const { trace, stallSeconds: stalled, longestStill = null, picturesPerSecond = null } = result;
  return {
    ...{ trace, waited: waitedSeconds(result), waitsLong: waitsLong(result), stalled },
    ...{ longestStall: longestStall(result), longestStill, picturesPerSecond },
  };
}

/** Two sessions that met the same link at the same time. */
export interface Pair {
  readonly ours: TrialResult;
  readonly theirs: TrialResult;
}

/** Ours less theirs; undefined: no pair has both. */
export type Versus = Readonly<Record<(typeof COMPARED)[number]['name'], Difference | undefined>>;

/** Means, unless they say otherwise. */
const COMPARED = [
  { name: 'waited', measure: waitedSeconds },
  { name: 'waitedMedian', measure: waitedSeconds, statistic: 'median' },
  { name: 'waitedP90', measure: waitedSeconds, statistic: 'p90' },
  { name: 'waitedWorst', measure: waitedSeconds, statistic: 'worst' },
  { name: 'waitsLong', measure: (result: TrialResult) => Number(waitsLong(result)) },
  // Of those that say: sessions with one stall at most would be the better ones.
  { name: 'longestStall', measure: (result: TrialResult) => result.longestStall ?? null },
  { name: 'longestStill', measure: ({ longestStill }: TrialResult) => longestStill ?? null },
  { name: 'picturesPerSecond', measure: ({ picturesPerSecond }: TrialResult) => picturesPerSecond ?? null },
  { name: 'bufRatio', measure: ({ bufRatio }: TrialResult) => bufRatio },
  { name: 'bufRatioP90', measure: ({ bufRatio }: TrialResult) => bufRatio, statistic: 'p90' },
  { name: 'score', measure: ({ score }: TrialResult) => score },
  { name: 'qoe', measure: ({ qoe }: TrialResult) => qoe },
  { name: 'startup', measure: ({ startup }: TrialResult) => startup },
  { name: 'latencyP95', measure: ({ live }: TrialResult) => live?.latencyP95 ?? null },
  { name: 'stalled', measure: ({ live, bufRatio }: TrialResult) => (live ? bufRatio : null) },
  {
    name: 'interrupted',
    measure: ({ live }: TrialResult) => (live ? live.interruptedSeconds / live.seconds : null),
  },
  { name: 'scoreFirst', measure: ({ scoreFirst }: TrialResult) => scoreFirst },
] as const;

/** Pairs of each of our sessions and the one of theirs under the same conditions. */
export function pairsOf(ours: readonly TrialResult[], theirs: readonly TrialResult[]): Pair[] {
  const others = new Map(theirs.map((result) => [conditionsOf(result), result]));
  return ours.flatMap((result) => {
    const other = others.get(conditionsOf(result));
    return other && other !== result ? [{ ours: result, theirs: other }] : [];
  });
}

function conditionsOf(result: TrialResult): string {
  const { video, trace, shift, path, server, control, crossTraffic, buffer, repetition } = result;
  return [video, trace, shift, path, server, control, crossTraffic, buffer, repetition].join('\0');
}

/** Undefined where nothing could be paired. */
export function versusOf(pairs: readonly Pair[]): Versus | undefined {
  if (pairs.length === 0) return undefined;
  const entries = COMPARED.map(({ name, measure, ...how }) => {
    const statistic = 'statistic' in how ? how.statistic : 'mean';
    return [name, differenceOf(pairs, measure, statistic)] as const;
  });
  return Object.fromEntries(entries) as unknown as Versus;
}

/** Difference of what both have. */
export function differenceOf(
  pairs: readonly Pair[],
  measure: (result: TrialResult) => number | null,
  statistic: Statistic = 'mean',
): Difference | undefined {
  const values = pairs.flatMap(({ ours, theirs }) => {
    const [value, other] = [measure(ours), measure(theirs)];
    return value === null || other === null ? [] : [{ trace: ours.trace, ours: value, theirs: other }];
  });
  return values.length === 0 ? undefined : pairedDifference(values, statistic);
}
