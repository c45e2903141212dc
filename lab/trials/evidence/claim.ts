import { mean, quantile } from '../../sim/report/statistics.js';
import type { TrialResult } from '../result.js';
import type { Matrix } from './kept.js';
import type { Level } from './levels.js';

export type Verdict = 'reproduced' | 'beaten' | 'not reproduced';

/** A headline claim of a paper: a row of docs/EVIDENCE.md. */
export interface Claim {
  /** Where the paper says it. */
  readonly figure: string;
  readonly claim: string;
  readonly theirs: string;
  /** Shows our figure: a name in lab/trials/configs, or a whole command. */
  readonly command: string;
  /** Has the kept sessions of our figure. */
  readonly matrix?: string;
  /** Undefined: the sessions that it needs are not there. */
  readonly measured?: (matrix: Matrix) => Measured | undefined;
  /** In its place for what needs no sessions. */
  readonly computed?: () => Measured;
  /** In its place for what concerns content, not sessions. */
  readonly ofContent?: (levels: readonly Level[]) => Measured | undefined;
  /** Why our figure is what it is. */
  readonly why?: string;
  /** What is known while nothing was measured. */
  readonly outlook?: string;
}

export interface Measured {
  readonly ours: string;
  readonly verdict: Verdict;
  /** Sessions of the system with the fewest; for content, segments; undefined: it does not rest on sessions. */
  readonly sessions?: number;
}

/** Conditions that sessions must meet. */
export type Conditions = Partial<
  Pick<TrialResult, 'path' | 'trace' | 'control' | 'crossTraffic' | 'buffer' | 'system'>
>;

/** Undefined where there are none. */
export function sessionsOf({ sessions }: Matrix, conditions: Conditions): readonly TrialResult[] | undefined {
  const entries = Object.entries(conditions) as [keyof Conditions, string | number][];
  const own = sessions.filter((session) => entries.every(([name, value]) => session[name] === value));
  return own.length > 0 ? own : undefined;
}

export const meanOf = (sessions: readonly TrialResult[], measure: (session: TrialResult) => number) =>
  mean(sessions.map(measure));

export const percent = (ratio: number, digits = 1) => `${(100 * ratio).toFixed(digits)} %`;

/** Sessions of each of these systems; undefined: one has none. */
export function ofEach(
  matrix: Matrix,
  systems: readonly string[],
  conditions: Conditions = {},
): (readonly TrialResult[])[] | undefined {
  const all = systems.map((system) => sessionsOf(matrix, { ...conditions, system }));
  return all.every((own) => own !== undefined) ? all : undefined;
}

export const fewest = (groups: readonly (readonly TrialResult[])[]) => Math.min(...groups.map(({ length }) => length));

export const stallsP90 = (sessions: readonly TrialResult[]) =>
  quantile(
    sessions.map(({ bufRatio }) => bufRatio),
    0.9,
  );

/**
 * How much less one system stalls than another at the 90th percentile. Beaten: by more than the paper has; reproduced: by nine tenths of
 * that; `theirs` 0: by anything at all.
 */
export function lessStalls(
  matrix: Matrix,
  conditions: Conditions,
  { theirs, ours, than }: { readonly theirs: number; readonly ours: string; readonly than: string },
): Measured | undefined {
  const groups = ofEach(matrix, [ours, than], conditions);
  if (!groups) return undefined;
  const [p90, otherP90] = groups.map(stallsP90) as [number, number];
  const share = otherP90 === 0 ? 0 : 1 - p90 / otherP90;
  const verdict = share > theirs ? 'beaten' : share > 0 && share >= 0.9 * theirs ? 'reproduced' : 'not reproduced';
  return {
    ours: `${share >= 0 ? '−' : '+'}${percent(Math.abs(share))}: ${percent(otherP90, 2)} → ${percent(p90, 2)}`,
    verdict,
    sessions: fewest(groups),
  };
}
