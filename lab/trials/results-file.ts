import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from '../../tools/setup/process.mjs';
import { readJsonLines } from '../sim/report/json-lines.js';
import type { SimulatedSession, TrialResult } from './result.js';

/** What a line is. */
const RESULT = 'the result of a trial';

/** Significant digits of numbers: more than any of them is exact to. */
const DIGITS = 7;

/** A line for each attempt at a trial, readable whenever a run is interrupted. */
export class ResultsFile {
  readonly #path: string;
  readonly #results: TrialResult[];

  /** Throws a `UserError` where there are results that are not to be continued. */
  constructor(path: string, existing: 'continue' | 'refuse') {
    mkdirSync(dirname(path), { recursive: true });
    this.#path = path;
    this.#results = existsSync(this.#path) ? readResults(this.#path) : [];
    if (this.#results.length > 0 && existing === 'refuse') {
      throw new UserError(`${path} holds results of an earlier run: continue it with --resume, or take another --out`);
    }
    this.#dropHalfLine();
  }

  get results(): readonly TrialResult[] {
    return this.#results;
  }

  add(result: TrialResult): void {
    appendFileSync(this.#path, lineOf(result));
    this.#results.push(result);
  }

  /** An interrupted write: the lines before it are kept, and the next one must not be glued to it. */
  #dropHalfLine(): void {
    if (!existsSync(this.#path) || readFileSync(this.#path, 'utf8').match(/(^|\n)$/)) return;
    const partial = `${this.#path}.partial`;
    writeFileSync(partial, this.#results.map(lineOf).join(''));
    renameSync(partial, this.#path);
  }
}

function lineOf(result: object): string {
  const shorter = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value;
  return `${JSON.stringify(result, shorter)}\n`;
}

/** The whole lines of a results file. Throws a `UserError` that names the line. */
export function readResults(path: string): TrialResult[] {
  return readJsonLines<TrialResult>(path, RESULT);
}

/** The simulator's part of the sessions in the file `sessions`: of `--calibrate`, beside that file. None where nothing was simulated. */
export function readSimulated(sessions: string): SimulatedSession[] {
  const path = simulatedFile(sessions);
  return existsSync(path) ? readJsonLines<SimulatedSession>(path, RESULT) : [];
}

/** Returns the path. */
export function writeSimulated(sessions: string, simulated: readonly SimulatedSession[]): string {
  const path = simulatedFile(sessions);
  writeFileSync(path, simulated.map(lineOf).join(''));
  return path;
}

const simulatedFile = (sessions: string) => join(dirname(sessions), 'simulated.jsonl');
