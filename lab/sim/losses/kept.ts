import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import type { SessionResult } from '../experiment.js';
import { appendJsonLines, keptJsonLines } from '../report/json-lines.js';

/** Relative to the repository. */
export const LOSSES_FILE = 'docs/results/real-losses/cells.jsonl';

/** A line: all sessions of a rule over a set, in the order of traces and starts. Seconds, scores. */
export interface Cell {
  readonly set: string;
  readonly control: string;
  /** The rule with its carrier, as simulations name it. */
  readonly rule: string;
  readonly buffer: number;
  /** How many sessions each trace has. */
  readonly traces: readonly number[];
  /** Start-up and stalls together, the longest stall, mean score, `felt`. */
  readonly waited: readonly number[];
  readonly longest: readonly number[];
  readonly score: readonly number[];
  readonly felt: readonly number[];
}

/** What a cell is known by. */
export type CellName = Pick<Cell, 'set' | 'control' | 'rule' | 'buffer'>;

export const isOf =
  (name: CellName) =>
  (cell: CellName): boolean =>
    cell.set === name.set && cell.control === name.control && cell.rule === name.rule && cell.buffer === name.buffer;

/** `results`: of that cell, in order. */
export function cellOf(name: CellName, results: readonly SessionResult[]): Cell {
  const all = (measure: (result: SessionResult) => number, digits: number) =>
    results.map((result) => Number(measure(result).toFixed(digits)));
  const traces = [...new Set(results.map(({ trace }) => trace))];
  return {
    ...name,
    traces: traces.map((trace) => results.filter((result) => result.trace === trace).length),
    waited: all(({ waited }) => waited, 2),
    longest: all(({ longestStall }) => longestStall, 2),
    score: all(({ score }) => score, 4),
    felt: all(({ felt }) => felt, 4),
  };
}

/** None where there is no file. */
export function keptCells(): readonly Cell[] {
  return keptJsonLines<Cell>(join(root, LOSSES_FILE), 'the sessions of a rule over a set of links');
}

export function keepCells(cells: readonly Cell[]): void {
  appendJsonLines(join(root, LOSSES_FILE), cells);
}
