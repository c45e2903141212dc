import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../tools/setup/process.mjs';
import { htmlReport, type ReportInput } from './report.js';
import { summarise } from './summary.js';
import { comparisonTable, csvTable, textTable } from './text-table.js';

/** Throws a `UserError`. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UserError(`cannot create ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Writes sessions.jsonl, summary.csv and report.html into a folder; returns the tables for a terminal. */
export function writeResults(folder: string, input: ReportInput): string {
  const lines = input.results.map((result) => `${JSON.stringify(result)}\n`);
  writeFileSync(join(folder, 'sessions.jsonl'), lines.join(''));
  return writeSummary(folder, input);
}

/** Which columns a terminal has room for, and which differences; all unless told. */
interface Shown {
  readonly keys?: readonly string[];
  readonly compared?: readonly string[];
}

/** The same without the sessions. */
export function writeSummary(folder: string, input: ReportInput, { keys, compared: comparedKeys }: Shown = {}): string {
  const { results, baseline } = input;
  const rows = summarise(results, baseline);
  writeFileSync(join(folder, 'summary.csv'), csvTable(rows));
  writeFileSync(join(folder, 'report.html'), htmlReport(input));
  const compared = comparisonTable(rows, comparedKeys);
  const difference = `less ${baseline}, same trace and start, 95 % intervals:`;
  return `${textTable(rows, keys)}\n${compared && `\n${difference}\n${compared}\n`}`;
}
