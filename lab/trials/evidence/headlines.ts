import { groupBy } from '../../sim/report/group-by.js';
import { COMPARISON_COLUMNS, MEASURE_COLUMNS } from '../report/columns.js';
import { markdownTable } from '../../sim/report/markdown-table.js';
import { TAILS, table } from '../report/markdown.js';
import { pivot } from '../report/overview.js';
import type { SummaryRow } from '../report/summary.js';
import { together, type Matrix } from './kept.js';
import { knownTails } from './tails.js';
import published from './published.json' with { type: 'json' };
import { allVideos, besidePaper, datagramsAgainstStreams, firstSeconds, mostTogether, pathGroups } from './tables.js';

/** Tables of single matrices that docs/RESULTS.md shows: a few rows and columns each. */
const HEADLINES: Readonly<Record<string, (matrix: Matrix) => string>> = {
  'results-small': ({ rows }) =>
    bySystem(mostTogether(rows), [
      ...['trials', 'waited', 'waitedMedian', ...TAILS, 'bufRatio', 'score'],
      ...['waitedDifference', 'bufRatioDifference', 'scoreDifference'],
    ]),
  rivals: (matrix) =>
    bySystem(
      together(matrix, () => true),
      ['trials', 'waited', 'waitedP90', ...TAILS, 'bufRatio', 'score', 'qoe', 'qoeDifference'],
    ),
  'first-seconds': (matrix) => firstSeconds(matrix, [allVideos(matrix)]),
  'clipstream-3-small': (matrix) =>
    besidePaper(
      withRows(matrix, ({ path, control }) => path.startsWith('60 ms') && control === 'cubic'),
      published.clipstream,
      ['bufRatio'],
      knownTails(matrix.rows),
    ),
  'hollywood-3-9-small': (matrix) => besidePaper(matrix, published.hollywood, ['bufRatio'], knownTails(matrix.rows)),
  'victor-4-small': ({ rows }) => byCondition(rows, ['bufRatio', 'aSSIM']),
  'live-small': ({ rows }) => byCondition(mostTogether(rows), ['latencyP95', 'stalled', 'score']),
  'live-half-second-small': ({ rows }) => byCondition(rows, ['stalled', 'score']),
  'datagrams-streams': (matrix) => datagramsAgainstStreams(matrix, pathGroups(matrix.config)),
};

export function headline(matrix: Matrix): string {
  const show = HEADLINES[matrix.name] ?? (({ rows }) => table(mostTogether(rows), 'in columns'));
  return show(matrix);
}

const withRows = (matrix: Matrix, isShown: (row: SummaryRow) => boolean): Matrix => ({
  ...matrix,
  rows: matrix.rows.filter(isShown),
});

const COLUMNS = [...MEASURE_COLUMNS, ...COMPARISON_COLUMNS];

const columnsOf = (keys: readonly string[]) => keys.map((key) => COLUMNS.find((column) => column.key === key)!);

/** Figures without their standard errors, one behind the other. */
const joined = (figures: readonly string[]) => figures.map((figure) => figure.replace(/ ± [\d.]+/, '')).join(' / ');

/** A line for each system, with the figures of one buffer behind those of the other. */
function bySystem(rows: readonly SummaryRow[], keys: readonly string[]): string {
  const columns = columnsOf(keys);
  const lines = [...groupBy(rows, ({ label }) => label)].map(([label, own]) => [
    label,
    ...columns.map(({ format }) => joined(own.map(format))),
  ]);
  const buffers = [...new Set(rows.map(({ buffer }) => buffer))].join(' / ');
  return `Buffers of ${buffers} segments:\n\n${markdownTable([['system', ...columns.map(({ title }) => title)], ...lines])}`;
}

/** Conditions below each other, systems beside each other, with the measures and the tails one behind the other. */
function byCondition(rows: readonly SummaryRow[], keys: readonly string[]): string {
  const columns = columnsOf([...keys, ...knownTails(rows)]);
  const measures = columns.map(({ title }) => title).join(' / ');
  const format = (row: SummaryRow) => joined(columns.map((column) => column.format(row)));
  return `${measures}:\n\n${pivot(rows, { format })}`;
}
