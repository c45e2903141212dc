import type { Interval } from './statistics.js';
import type { SummaryRow } from './summary.js';

/** A column of the summary: its name in summary.csv, its title and form where people read it. */
export interface Column {
  readonly key: string;
  readonly title: string;
  readonly value: (row: SummaryRow) => number | string;
  readonly format: (row: SummaryRow) => string;
}

export const COLUMNS: readonly Column[] = [
  { key: 'buffer', title: 'buffer', value: (row) => row.buffer, format: (row) => String(row.buffer) },
  { key: 'abr', title: 'rule', value: (row) => row.abr, format: (row) => row.abr },
  percent('bufRatioMean', 'bufRatio %', (row) => row.bufRatio.mean),
  percent('bufRatioStandardError', '± s.e.', (row) => row.standardError),
  percent('bufRatioMedian', 'median', (row) => row.bufRatio.median),
  percent('bufRatioP90', 'p90', (row) => row.bufRatio.p90),
  percent('bufRatioP95', 'p95', (row) => row.bufRatio.p95),
  decimal('score', 'score', (row) => row.score, 4),
  decimal('scoreP10', 'p10', (row) => row.scoreP10, 4),
  { ...decimal('bitrate', 'kbit/s', (row) => row.bitrate, 0), format: (row) => (row.bitrate / 1000).toFixed(0) },
  decimal('switches', 'switches', (row) => row.switches, 1),
  decimal('aSSIM', 'aSSIM', (row) => row.aSSIM, 4),
  decimal('qoe', 'QoE', (row) => row.qoe, 4),
  percent('perfect', 'perfect %', (row) => row.perfect),
  percent('partial', 'partial %', (row) => row.partial),
  decimal('startup', 'start s', (row) => row.startup, 2),
  decimal('waited', 'waited s', (row) => row.waited.mean, 2),
  decimal('waitedP90', 'p90 s', (row) => row.waited.p90, 2),
  decimal('felt', 'felt QoE', (row) => row.felt, 4),
  decimal('soda', "SODA's", (row) => row.soda, 4),
];

/** What the paired comparison with the baseline adds. */
export const COMPARISON_COLUMNS: readonly Omit<Column, 'value'>[] = [
  { key: 'bufRatioDifference', title: 'Δ bufRatio, pp', format: ({ versus }) => interval(versus?.bufRatio, 100, 2) },
  { key: 'scoreDifference', title: 'Δ score', format: ({ versus }) => interval(versus?.score, 1, 4) },
  { key: 'qoeDifference', title: 'Δ QoE', format: ({ versus }) => interval(versus?.qoe, 1, 4) },
];

type Measure = (row: SummaryRow) => number;

function percent(key: string, title: string, value: Measure): Column {
  return { key, title, value, format: (row) => (100 * value(row)).toFixed(2) };
}

function decimal(key: string, title: string, value: Measure, digits: number): Column {
  return { key, title, value, format: (row) => value(row).toFixed(digits) };
}

function interval(difference: Interval | undefined, scale: number, digits: number): string {
  if (!difference) return '';
  const [value, low, high] = [difference.value, difference.low, difference.high].map((x) =>
    (x * scale).toFixed(digits),
  );
  return `${value} [${low}, ${high}]`;
}
