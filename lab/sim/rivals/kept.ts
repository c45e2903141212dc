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

/** A line: the means of one rule's sessions with one buffer, over all starts of a trace or over all traces. */
export interface Kept extends Figures {
  /** Undefined: over all. */
  readonly trace?: string;
  readonly abr: string;
  readonly buffer: number;
  readonly sessions: number;
}

/** `results`: of one rule and buffer. */
export function keptOf(results: readonly SessionResult[], trace?: string): Kept {
  const { abr, buffer } = results[0]!;
  const means = FIGURES.map((name) => [name, Number(mean(results.map((result) => result[name])).toFixed(6))] as const);
  return {
    ...(trace !== undefined && { trace }),
    abr,
    buffer,
    sessions: results.length,
    ...(Object.fromEntries(means) as Figures),
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
