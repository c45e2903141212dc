import { groupBy } from '../../sim/report/group-by.js';
import { MEASURE_COLUMNS, type Column } from './columns.js';
import { markdownTable } from '../../sim/report/markdown-table.js';
import { CONDITIONS, type SummaryRow } from './summary.js';

/** Keys of `MEASURE_COLUMNS`. */
const MEASURES = ['waited', 'bufRatio', 'stalls', 'aSSIM', 'bitrate', 'redundant', 'linkIdle'];

/** A table for each measure, conditions below each other and systems beside each other; empty where there is one condition only. */
export function overview(rows: readonly SummaryRow[]): string {
  const several = rows.filter(({ trace }) => trace !== 'all');
  if (differingConditions(several).length === 0) return '';
  const tables = MEASURE_COLUMNS.filter(({ key }) => MEASURES.includes(key)).map(
    (column) => `### ${column.title}\n\n${pivot(several, column)}\n`,
  );
  return `## Conditions beside each other\n\n${tables.join('\n')}\n`;
}

/** One measure: conditions below each other, systems beside each other. */
export function pivot(rows: readonly SummaryRow[], { format }: Pick<Column, 'format'>): string {
  const conditions = differingConditions(rows);
  const systems = [...new Set(rows.map(({ label }) => label))];
  const scenarios = [...groupBy(rows, (row) => conditions.map((name) => row[name]).join('\0')).values()];
  return markdownTable([
    [...conditions, ...systems],
    ...scenarios.map((scenario) => [
      ...conditions.map((name) => String(scenario[0]![name])),
      ...systems.map((system) => {
        const row = scenario.find(({ label }) => label === system);
        return row ? format(row) : '';
      }),
    ]),
  ]);
}

function differingConditions(rows: readonly SummaryRow[]) {
  return [...CONDITIONS, 'buffer' as const].filter((name) => new Set(rows.map((row) => row[name])).size > 1);
}
