import { COLUMNS, COMPARISON_COLUMNS, COMPARISON_NUMBERS, type Column } from './columns.js';
import type { SummaryRow } from './summary.js';

/** The summary for a terminal: names to the left, numbers to the right. `keys`: of the columns; all unless told. */
export function textTable(rows: readonly SummaryRow[], keys?: readonly string[]): string {
  return tableOf(
    COLUMNS.filter(({ key }) => !keys || keys.includes(key)),
    rows,
  );
}

/** The paired comparisons for a terminal; empty: there are none. `keys`: of the columns that are compared. */
export function comparisonTable(rows: readonly SummaryRow[], keys?: readonly string[]): string {
  const compared = rows.filter(({ versus }) => versus);
  const isShown = ({ key }: Pick<Column, 'key'>) => !keys || keys.includes(key.replace(/Difference$/, ''));
  const columns = [
    ...COLUMNS.filter(({ key }) => key === 'buffer' || key === 'abr'),
    ...COMPARISON_COLUMNS.filter(isShown),
  ];
  return compared.length === 0 ? '' : tableOf(columns, compared);
}

function tableOf(columns: readonly Omit<Column, 'value'>[], rows: readonly SummaryRow[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ format }) => format(row)))];
  return aligned(lines, [columns.findIndex(({ key }) => key === 'abr')]);
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

/** The summary and its comparisons as numbers, with a header. */
export function csvTable(rows: readonly SummaryRow[]): string {
  const columns = [...COLUMNS, ...COMPARISON_NUMBERS];
  const lines = [columns.map(({ key }) => key), ...rows.map((row) => columns.map(({ value }) => value(row) ?? ''))];
  return lines.map((line) => `${line.join(',')}\n`).join('');
}
