import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { appendJsonLines, keptJsonLines } from '../report/json-lines.js';
import type { SessionResult } from '../experiment.js';
import { mean, meanOfWorst, pairedDifference, type Statistic } from '../report/statistics.js';

/** Files of `npm run bench -- rivals`, relative to the repository: rules on the report traces, and `abr-star` with other constants. */
export const RIVALS_FILE = 'docs/results/simulated/rivals.jsonl';
export const CONSTANTS_FILE = 'docs/results/simulated/constants.jsonl';

/** Units as in `SessionResult`. */
export const FIGURES = ['bufRatio', 'score', 'qoe', 'felt', 'soda', 'switches', 'startup', 'waited'] as const;

/** What a line of them is, for complaints. */
const CONTENTS = 'the mean of sessions';

export type Figures = Readonly<Record<(typeof FIGURES)[number], number>>;

/** What each session of a trace came to, in order of its start; absent from lines of before they were kept. */
export interface Starts {
  /** Seconds to the first picture, seconds of start-up and stalls together, and mean score of the first ten seconds. */
  readonly startups?: readonly number[];
  readonly waits?: readonly number[];
  readonly firsts?: readonly number[];
  /** Seconds of the longest stall. Absent from older lines. */
  readonly longest?: readonly number[];
  /** Seconds of the longest still picture, and pictures in a second of playback. Absent from older lines. */
  readonly stills?: readonly number[];
  readonly pictures?: readonly number[];
}

/** What of a changed constant has bounds: seconds waited, their mean in the worst 5 % of sessions, and QoE. */
export const BOUNDED = ['waited', 'worst', 'qoe'] as const;

export type Bounds = readonly [low: number, high: number];

/** A line of `CONSTANTS_FILE`: a rule's sessions with one buffer over all traces. */
export interface KeptConstant extends Kept {
  /** Mean of the worst 5 % of sessions, seconds waited. */
  readonly worst: number;
  /** Bounds of the difference to the rule as it is, 95 %; absent from that one's own lines. */
  readonly bounds?: Readonly<Record<(typeof BOUNDED)[number], Bounds>>;
}

/** A line: the means of one rule's sessions with one buffer, over all starts of a trace or over all traces. */
export interface Kept extends Figures, Starts {
  /** Undefined: over all. */
  readonly trace?: string;
  readonly abr: string;
  readonly buffer: number;
  readonly sessions: number;
}

/** `results`: of one rule and buffer. */
export function keptOf(results: readonly SessionResult[], trace?: string): Kept {
  const { abr, buffer } = results[0]!;
  const all = (measure: (result: SessionResult) => number, digits: number) =>
    results.map((result) => Number(measure(result).toFixed(digits)));
  const means = FIGURES.map((name) => [name, Number(mean(results.map((result) => result[name])).toFixed(6))] as const);
  return {
    ...(trace !== undefined && { trace }),
    abr,
    buffer,
    sessions: results.length,
    ...(Object.fromEntries(means) as Figures),
    ...(trace !== undefined && {
      startups: all(({ startup }) => startup, 3),
      waits: all(({ waited }) => waited, 3),
      firsts: all(({ scoreFirst }) => scoreFirst, 5),
      longest: all(({ longestStall }) => longestStall, 3),
      stills: all(({ longestStill }) => longestStill, 3),
      pictures: all(({ picturesPerSecond }) => picturesPerSecond, 2),
    }),
  };
}

/** The lines of a file of rules on traces; none where there is no file. */
export function keptLines(file: string): readonly Kept[] {
  return keptJsonLines<Kept>(join(root, file), CONTENTS);
}

/** The lines of `CONSTANTS_FILE`; none where there is no file. */
export function keptConstants(): readonly KeptConstant[] {
  return keptJsonLines<KeptConstant>(join(root, CONSTANTS_FILE), CONTENTS);
}

/** `results`: of a rule with one buffer; `own`: those of the rule as it is, in the same order. */
export function keptConstant(results: readonly SessionResult[], own?: readonly SessionResult[]): KeptConstant {
  const line = { ...keptOf(results), worst: Number(meanOfWorst(results.map(({ waited }) => waited)).toFixed(6)) };
  if (!own) return line;
  const boundsOf = (figure: 'waited' | 'qoe', statistic: Statistic): Bounds => {
    const pairs = results.map((result, index) => ({
      trace: result.trace,
      ours: result[figure],
      theirs: own[index]![figure],
    }));
    const { value, bounds = { low: value, high: value } } = pairedDifference(pairs, statistic);
    return [Number(bounds.low.toFixed(6)), Number(bounds.high.toFixed(6))];
  };
  return {
    ...line,
    bounds: {
      waited: boundsOf('waited', 'mean'),
      worst: boundsOf('waited', 'worst'),
      qoe: boundsOf('qoe', 'mean'),
    },
  };
}

export function keep(file: string, lines: readonly Kept[]): void {
  appendJsonLines(join(root, file), lines);
}
