import { COLUMNS } from './columns.js';
import type { SummaryRow } from './summary.js';

/** The summary for a terminal: names to the left, numbers to the right. */
export function textTable(rows: readonly SummaryRow[]): string {
  const lines = [COLUMNS.map(({ title }) => title), ...rows.map((row) => COLUMNS.map(({ format }) => format(row)))];
  return aligned(lines, [COLUMNS.findIndex(({ key }) => key === 'abr')]);
}

/** Lines of cells as columns: these to the left, the others to the right. */
export function aligned(lines: readonly (readonly string[])[], left: readonly number[]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => (left.includes(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The summary as numbers, with a header. */
export function csvTable(rows: readonly SummaryRow[]): string {
  const lines = [COLUMNS.map(({ key }) => key), ...rows.map((row) => COLUMNS.map(({ value }) => value(row)))];
  return lines.map((line) => `${line.join(',')}\n`).join('');
}
