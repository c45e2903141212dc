import { markdownTable } from '../../sim/report/markdown-table.js';
import { measureColumn, NOTHING, type Column } from '../report/columns.js';
import { TAILS } from '../report/markdown.js';
import type { SummaryRow } from '../report/summary.js';
import { together, type Matrix } from './kept.js';

const COLUMNS = ['buffer', 'system', 'trials', 'waited', ...TAILS, 'score'].map(measureColumn);

/** A line for each system of these matrices and buffer, over all conditions: its worst sessions, and how pictures followed each other. */
export function tailsBlock(matrices: readonly Matrix[]): string {
  const lines = matrices.flatMap((matrix) =>
    together(matrix, () => true).map((row) => [linkTo(matrix), ...COLUMNS.map((column) => cell(matrix, row, column))]),
  );
  const table = markdownTable([['matrix', ...COLUMNS.map(({ title }) => title)], ...lines]);
  return lines.length === 0 ? '' : `Tails, each system over all conditions of its matrix:\n\n${table}`;
}

/** Those of the tails that some of the rows know. */
export function knownTails(rows: readonly SummaryRow[]): string[] {
  return TAILS.map(measureColumn)
    .filter(({ format }) => rows.some((row) => format(row) !== NOTHING))
    .map(({ key }) => key);
}

const linkTo = ({ name }: Matrix) => `[${name}](results/${name}/README.md)`;

/** Scores in several metrics have no mean. */
function cell({ config: { videos } }: Matrix, row: SummaryRow, { key, format }: Column): string {
  return key === 'score' && videos.some(({ metric = 'ssim' }) => metric !== 'ssim') ? NOTHING : format(row);
}
