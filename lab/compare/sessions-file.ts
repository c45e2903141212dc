import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../tools/setup/process.mjs';
import type { Experiment, SessionResult } from '../sim/experiment.js';
import { appendJsonLines, keptJsonLines } from '../sim/report/json-lines.js';

/** A line of `sessions.jsonl`. `run` is the same for all that may be compared: settings, links and rules are alike. */
export type KeptSession = SessionResult & { readonly run: string };

/**
 * A digest of all that sessions depend on but the program: the files of the experiment's own rules with what they hold, not where they lie.
 * `files`: their paths. Throws a `UserError` where one cannot be read.
 */
export function runOf(experiment: Experiment, files: Readonly<Record<string, string>>): string {
  const { traces, own: _, ...settings } = experiment;
  const links = traces.map(({ name, step, rates, conditions }) => ({ name, step, rates: [...rates], conditions }));
  const rules = Object.entries(files).map(([name, path]) => [name, readRule(path).toString('base64')]);
  const hash = createHash('sha256').update(JSON.stringify([settings, links, rules]));
  return hash.digest('hex').slice(0, 12);
}

function readRule(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UserError(`--rule: cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The sessions in a folder, of one run. */
export class SessionsFile {
  readonly path: string;
  readonly #run: string;

  constructor(folder: string, run: string) {
    this.path = join(folder, 'sessions.jsonl');
    this.#run = run;
  }

  get exists(): boolean {
    return existsSync(this.path);
  }

  /** None where there is no file. Throws a `UserError` where some are of another run. */
  read(): SessionResult[] {
    const kept = keptJsonLines<KeptSession>(this.path, 'a session');
    if (kept.some(({ run }) => run !== this.#run))
      throw new UserError(`${this.path} has sessions of other settings, links or rules: take another --out`);
    return kept;
  }

  add(sessions: readonly SessionResult[]): void {
    appendJsonLines(this.path, sessions.map(this.#line));
  }

  /** In place of all that is there. */
  replace(sessions: readonly SessionResult[]): void {
    const partial = `${this.path}.partial`;
    writeFileSync(partial, '');
    appendJsonLines(partial, sessions.map(this.#line));
    renameSync(partial, this.path);
  }

  readonly #line = (session: SessionResult): KeptSession => ({ run: this.#run, ...session });
}
