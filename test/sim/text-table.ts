import type { SummaryRow } from './summary.js';

const COLUMNS: readonly { readonly title: string; readonly cell: (row: SummaryRow) => string }[] = [
  { title: 'buffer', cell: (row) => String(row.buffer) },
  { title: 'rule', cell: (row) => row.abr },
  { title: 'bufRatio %', cell: (row) => percent(row.bufRatio.mean) },
  { title: 'median', cell: (row) => percent(row.bufRatio.median) },
  { title: 'p90', cell: (row) => percent(row.bufRatio.p90) },
  { title: 'p95', cell: (row) => percent(row.bufRatio.p95) },
  { title: 'score', cell: (row) => row.score.toFixed(4) },
  { title: 'p10', cell: (row) => row.scoreP10.toFixed(4) },
  { title: 'kbit/s', cell: (row) => (row.bitrate / 1000).toFixed(0) },
  { title: 'switches', cell: (row) => row.switches.toFixed(1) },
  { title: 'aSSIM', cell: (row) => row.aSSIM.toFixed(4) },
  { title: 'QoE', cell: (row) => row.qoe.toFixed(4) },
  { title: 'perfect %', cell: (row) => percent(row.perfect) },
  { title: 'partial %', cell: (row) => percent(row.partial) },
];

/** The summary for a terminal, its columns aligned. */
export function textTable(rows: readonly SummaryRow[]): string {
  const lines = [COLUMNS.map(({ title }) => title), ...rows.map((row) => COLUMNS.map(({ cell }) => cell(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column]!, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Names to the left, numbers to the right. */
function pad(cell: string, width: number, column: number): string {
  return column === 1 ? cell.padEnd(width) : cell.padStart(width);
}

function percent(ratio: number): string {
  return (100 * ratio).toFixed(2);
}
