import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { readJsonLines } from '../report/json-lines.js';
import type { SessionResult } from '../experiment.js';
import { mean } from '../report/statistics.js';

/** Files of `npm run bench -- rivals`, relative to the repository: rules on the report traces, and `abr-star` with other constants. */
export const RIVALS_FILE = 'docs/results/simulated/rivals.jsonl';
export const CONSTANTS_FILE = 'docs/results/simulated/constants.jsonl';

/** Units as in `SessionResult`. */
export const FIGURES = ['bufRatio', 'score', 'qoe', 'felt', 'soda', 'switches', 'startup', 'waited'] as const;

export type Figures = Readonly<Record<(typeof FIGURES)[number], number>>;

/** What each session of a trace came to, in order of its start; absent from lines of before they were kept. */
export interface Starts {
  /** Seconds to the first picture, seconds of start-up and stalls together, and mean score of the first ten seconds. */
  readonly startups?: readonly number[];
  readonly waits?: readonly number[];
  readonly firsts?: readonly number[];
  /** Seconds of the longest stall. Absent from older lines. */
  readonly longest?: readonly number[];
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
    }),
  };
}

/** The lines of a file; none where there is no file. */
export function keptLines(file: string): readonly Kept[] {
  const path = join(root, file);
  if (!existsSync(path)) return [];
  return readJsonLines<Kept>(path, 'the mean of sessions');
}

/** In one write, so that what is cut off lacks whole steps. */
export function keep(file: string, lines: readonly Kept[]): void {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
