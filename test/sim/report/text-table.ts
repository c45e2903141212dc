import { COLUMNS } from './columns.js';
import type { SummaryRow } from './summary.js';

/** The summary for a terminal: names to the left, numbers to the right. */
export function textTable(rows: readonly SummaryRow[]): string {
  const lines = [COLUMNS.map(({ title }) => title), ...rows.map((row) => COLUMNS.map(({ format }) => format(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, index) =>
          COLUMNS[index]!.key === 'abr' ? cell.padEnd(widths[index]!) : cell.padStart(widths[index]!),
        )
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
