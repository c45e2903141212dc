import { groupBy } from '../../sim/report/group-by.js';
import { labelOf, type ChartedSystem } from './charts.js';
import { COMPARISON_COLUMNS, MEASURE_COLUMNS } from './columns.js';
import { measuresExplained } from './facts.js';
import { overview } from './overview.js';
import { scenarioTitle, type SummaryRow } from './summary.js';

/** For a page of text: the rest is in summary.csv and report.html. */
const SHOWN = [
  'buffer',
  'system',
  'trials',
  'bufRatio',
  'score',
  'bitrate',
  'skipped',
  'lost',
  'datagrams',
  'gapsAtAppend',
  'qoe',
  'startupMedian',
  'scoreFirst',
];
const COMPARED = ['bufRatioDifference', 'scoreDifference', 'startupDifference', 'scoreFirstDifference'];

export interface MarkdownInput {
  readonly title: string;
  readonly baseline: string;
  readonly systems: readonly ChartedSystem[];
  readonly facts: readonly string[];
  readonly rows: readonly SummaryRow[];
}

/** The summary as tables to put into a document. */
export function markdownSummary({ title, baseline, systems, facts, rows }: MarkdownInput): string {
  const tables = [...groupBy(rows, scenarioTitle)].map(([part, ofPart]) => `## ${part}\n\n${table(ofPart)}\n`);
  const list = facts.map((fact) => `- ${fact}`).join('\n');
  return `# ${title}\n\n${list}\n\n${measuresExplained(labelOf(systems, baseline))}\n\n${overview(rows)}${tables.join('\n')}`;
}

function table(rows: readonly SummaryRow[]): string {
  const columns = [
    ...MEASURE_COLUMNS.filter(({ key }) => SHOWN.includes(key)),
    ...COMPARISON_COLUMNS.filter(({ key }) => COMPARED.includes(key)),
  ];
  const lines = [
    columns.map(({ title }) => title),
    columns.map(() => '---'),
    ...rows.map((row) => columns.map(({ format }) => format(row).replaceAll('|', '\\|'))),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
