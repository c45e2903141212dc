import { groupBy } from '../../sim/report/group-by.js';
import { MEASURE_COLUMNS } from './columns.js';
import { CONDITIONS, type SummaryRow } from './summary.js';

/** Keys of `MEASURE_COLUMNS`. */
const MEASURES = ['bufRatio', 'stalls', 'aSSIM', 'bitrate', 'redundant', 'linkIdle'];

/** A table for each measure, conditions below each other and systems beside each other; empty where there is one condition only. */
export function overview(rows: readonly SummaryRow[]): string {
  const several = rows.filter(({ trace }) => trace !== 'all');
  const conditions = [...CONDITIONS, 'buffer' as const].filter(
    (name) => new Set(several.map((row) => row[name])).size > 1,
  );
  if (conditions.length === 0) return '';
  const systems = [...new Set(several.map(({ label }) => label))];
  const scenarios = [...groupBy(several, (row) => conditions.map((name) => row[name]).join('\0')).values()];
  const tables = MEASURE_COLUMNS.filter(({ key }) => MEASURES.includes(key)).map(({ title, format }) => {
    const lines = [
      [...conditions, ...systems],
      [...conditions, ...systems].map(() => '---'),
      ...scenarios.map((scenario) => [
        ...conditions.map((name) => String(scenario[0]![name])),
        ...systems.map((system) => {
          const row = scenario.find(({ label }) => label === system);
          return row ? format(row) : '';
        }),
      ]),
    ];
    return `### ${title}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
  });
  return `## Conditions beside each other\n\n${tables.join('\n')}\n`;
}
