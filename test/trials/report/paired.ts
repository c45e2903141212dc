import { groupBy } from '../../sim/report/group-by.js';
import { mean, meanOfGroups } from '../../sim/report/statistics.js';
import type { TrialResult } from '../result.js';

/** Fewer sessions have no interval and no standard error. */
export const FEWEST_SESSIONS = 10;

/** After this a session that has not started is given up at the earliest. */
const NEVER_STARTED_SECONDS = 60;

/** What viewers wait for: start-up and stalls. A session that never starts counts as a minute. */
export function waitedSeconds({ startup, stallSeconds }: TrialResult): number {
  return (startup ?? NEVER_STARTED_SECONDS) + stallSeconds;
}

/** Two sessions that met the same link at the same time. */
export interface Pair {
  readonly ours: TrialResult;
  readonly theirs: TrialResult;
}

/** A mean of paired differences; 95 % bounds, drawn over traces and their sessions, from ten pairs on. */
export interface Difference {
  readonly value: number;
  readonly pairs: number;
  readonly bounds?: { readonly low: number; readonly high: number };
}

/** Ours less theirs; undefined: no pair has both. */
export type Versus = Readonly<Record<(typeof COMPARED)[number]['name'], Difference | undefined>>;

const COMPARED = [
  { name: 'waited', measure: waitedSeconds },
  { name: 'bufRatio', measure: ({ bufRatio }: TrialResult) => bufRatio },
  { name: 'score', measure: ({ score }: TrialResult) => score },
  { name: 'qoe', measure: ({ qoe }: TrialResult) => qoe },
  { name: 'startup', measure: ({ startup }: TrialResult) => startup },
  { name: 'scoreFirst', measure: ({ scoreFirst }: TrialResult) => scoreFirst },
] as const;

/** Of each of our sessions and the one of theirs under the same conditions. */
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
  const entries = COMPARED.map(({ name, measure }) => [name, meanDifference(pairs, measure)] as const);
  return Object.fromEntries(entries) as unknown as Versus;
}

/** Of what both have. */
export function meanDifference(
  pairs: readonly Pair[],
  measure: (result: TrialResult) => number | null,
): Difference | undefined {
  const differences = pairs.flatMap(({ ours, theirs }) => {
    const [value, other] = [measure(ours), measure(theirs)];
    return value === null || other === null ? [] : [{ trace: ours.trace, value: value - other }];
  });
  if (differences.length === 0) return undefined;
  const value = mean(differences.map((difference) => difference.value));
  if (differences.length < FEWEST_SESSIONS) return { value, pairs: differences.length };
  const groups = [...groupBy(differences, ({ trace }) => trace).values()];
  const { low, high } = meanOfGroups(groups.map((group) => group.map((difference) => difference.value)));
  return { value, pairs: differences.length, bounds: { low, high } };
}
