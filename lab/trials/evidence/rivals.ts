import type { LinkSpec } from '../config.js';
import { COMPARISON_COLUMNS, MEASURE_COLUMNS, type Column } from '../report/columns.js';
import { markdownTable } from '../../sim/report/markdown-table.js';
import type { SummaryRow } from '../report/summary.js';
import type { TrialResult } from '../result.js';
import { traceName } from '../traces.js';
import { together, type Matrix } from './kept.js';

type Shown = Pick<Column, 'title' | 'format'>;

const columnsOf = (columns: readonly (Shown & { readonly key: string })[], keys: readonly string[]): Shown[] =>
  keys.map((key) => columns.find((column) => column.key === key)!);

const FIGURES = columnsOf(MEASURE_COLUMNS, [
  ...['buffer', 'system', 'trials', 'waited', 'waitedP90', 'startupMedian', 'bufRatio', 'score', 'qoe', 'switches'],
  ...['mos', 'segmentsAsDatagrams'],
]);

const DIFFERENCES = columnsOf(COMPARISON_COLUMNS, [
  ...['waitedDifference', 'waitedP90Difference', 'bufRatioDifference', 'scoreDifference', 'qoeDifference'],
]);

/** What systems are compared by on each link. */
const BY_LINK = columnsOf(COMPARISON_COLUMNS, ['waitedDifference', 'qoeDifference']);

/** Every system over all links, then what separates it from the baseline on each of them. */
export function rivals(matrix: Matrix): string {
  const { systems, baseline, links = [] } = matrix.config;
  const all = together(matrix, () => true);
  const others = systems.filter(({ name }) => name !== baseline);
  const figures = markdownTable([FIGURES.map(({ title }) => title), ...linesOf(all, FIGURES)]);
  const columns = [...columnsOf(MEASURE_COLUMNS, ['buffer', 'system']), ...DIFFERENCES];
  const differing = all.filter(({ system }) => system !== baseline);
  const differences = markdownTable([columns.map(({ title }) => title), ...linesOf(differing, columns)]);
  const byLink = BY_LINK.map(({ title, format }) => {
    const lines = links.flatMap((link) => {
      const rows = together(matrix, (session) => isOn(link, session));
      return [...new Set(rows.map(({ buffer }) => buffer))].map((buffer) => {
        const own = rows.filter((row) => row.buffer === buffer);
        const cells = others.map(({ name }) => own.find(({ system }) => system === name));
        const pairs = Math.max(0, ...own.map(({ trials }) => trials));
        return [link.name, String(buffer), String(pairs), ...cells.map((row) => (row ? format(row) : ''))];
      });
    });
    return `${title}:\n\n${markdownTable([['link', 'buffer', 'n', ...others.map(({ label }) => label)], ...lines])}`;
  });
  const label = systems.find(({ name }) => name === baseline)!.label;
  return [figures, `Differences: theirs less ${label}’s.`, differences, 'Link by link:', ...byLink].join('\n\n');
}

const linesOf = (rows: readonly SummaryRow[], columns: readonly Shown[]) =>
  rows.map((row) => columns.map(({ format }) => format(row)));

function isOn({ traces, path }: LinkSpec, session: TrialResult): boolean {
  const names = traces.flatMap(({ source, otherwise }) => [source, otherwise ?? source]).map(traceName);
  return session.path === path.name && names.includes(session.trace);
}
