import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../tools/setup/process.mjs';
import type { TrialResult } from './result.js';

const NAME = 'trials.jsonl';

/** `trials.jsonl`: a line for each attempt at a trial, readable whenever a run is interrupted. */
export class ResultsFile {
  readonly #path: string;
  readonly #results: TrialResult[];

  /** Throws a `UserError` where there are results that are not to be continued. */
  constructor(folder: string, existing: 'continue' | 'refuse') {
    mkdirSync(folder, { recursive: true });
    this.#path = join(folder, NAME);
    this.#results = existsSync(this.#path) ? readResults(this.#path) : [];
    if (this.#results.length > 0 && existing === 'refuse') {
      throw new UserError(
        `${folder} holds results of an earlier run: continue it with --resume, or take another --out`,
      );
    }
    this.#dropHalfLine();
  }

  get results(): readonly TrialResult[] {
    return this.#results;
  }

  add(result: TrialResult): void {
    appendFileSync(this.#path, `${JSON.stringify(result)}\n`);
    this.#results.push(result);
  }

  /** An interrupted write: the lines before it are kept, and the next one must not be glued to it. */
  #dropHalfLine(): void {
    if (!existsSync(this.#path) || readFileSync(this.#path, 'utf8').match(/(^|\n)$/)) return;
    const partial = `${this.#path}.partial`;
    writeFileSync(partial, this.#results.map((result) => `${JSON.stringify(result)}\n`).join(''));
    renameSync(partial, this.#path);
  }
}

/** The whole lines of a results file. Throws a `UserError` that names the line. */
export function readResults(path: string): TrialResult[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  // What follows the last line break is empty, or half a line.
  return lines.slice(0, -1).map((line, index) => {
    try {
      return JSON.parse(line) as TrialResult;
    } catch {
      throw new UserError(`${path}:${index + 1}: the line is not the result of a trial`);
    }
  });
}
