import { groupBy } from '../../sim/report/group-by.js';
import { TAIL_COLUMNS } from '../../sim/report/tail-columns.js';
import { labelOf, type ChartedSystem } from './charts.js';
import {
  COMPARISON_COLUMNS,
  CONDITION_COLUMNS,
  LIVE_COMPARISON_COLUMNS,
  MEASURE_COLUMNS,
  NOTHING,
  measureColumn,
} from './columns.js';
import { explained } from './facts.js';
import { markdownTable } from '../../sim/report/markdown-table.js';
import { overview } from './overview.js';
import { scenarioTitle, type SummaryRow } from './summary.js';

/** The worst sessions, and how pictures followed each other. */
export const TAILS = TAIL_COLUMNS.map(({ key }) => key);

/** For a page of text: the rest is in summary.csv and report.html. */
const SHOWN = [
  'buffer',
  'system',
  'trials',
  'waited',
  'waitedMedian',
  'waitedP90',
  ...TAILS,
  'startupMedian',
  'start',
  'seek',
  'resume',
  'bufRatio',
  'score',
  'switches',
  'scoreFirst',
  'mos',
  'vmaf',
  'psnr',
  'bitrate',
  'skipped',
  'lost',
  'datagrams',
  'paths',
  'outages',
  'bulkRate',
  'linkIdle',
];
const COMPARED = [
  'waitedDifference',
  'waitedP90Difference',
  'bufRatioDifference',
  'scoreDifference',
  'startupDifference',
];

/** In their place for live sessions. */
const LIVE_SHOWN = [
  ...[
    'system',
    'trials',
    'latency',
    'latencyP95',
    'stallsPerMinute',
    'stalled',
    'interruptionsPerMinute',
    'interrupted',
  ],
  ...TAILS,
  ...['replaced', 'skippedMedia', 'score', 'switches', 'bitrate', 'startupMedian', 'chunksRepaired', 'chunksLate'],
  ...['datagrams', 'linkIdle'],
];

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
  return `# ${title}\n\n${list}\n\n${explained(rows, labelOf(systems, baseline))}\n\n${overview(rows)}${tables.join('\n')}`;
}

/** The most telling measures of each row, without those that nobody took; before them the conditions that differ between rows, where `conditions` says so. */
export function table(rows: readonly SummaryRow[], conditions: 'named above' | 'in columns' = 'named above'): string {
  const differing = CONDITION_COLUMNS.filter(({ format }) => new Set(rows.map(format)).size > 1);
  const areLive = rows.some(({ live }) => live);
  const shown = areLive ? LIVE_SHOWN.map(measureColumn) : MEASURE_COLUMNS.filter(({ key }) => SHOWN.includes(key));
  const columns = [
    ...(conditions === 'in columns' ? differing : []),
    ...shown.filter(({ format }) => rows.some((row) => format(row) !== NOTHING)),
    ...(areLive ? LIVE_COMPARISON_COLUMNS : COMPARISON_COLUMNS.filter(({ key }) => COMPARED.includes(key))),
  ];
  return markdownTable([
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ format }) => format(row))),
  ]);
}
