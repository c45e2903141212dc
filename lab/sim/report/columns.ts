import { slideShowMark } from './slide-show.js';
import { intervalText, type Difference } from './statistics.js';
import type { SummaryRow, Versus } from './summary.js';
import { TAIL_COLUMNS } from './tail-columns.js';

/** A column of the summary: its name in summary.csv, its title and form where people read it. */
export interface Column {
  readonly key: string;
  readonly title: string;
  readonly value: (row: SummaryRow) => number | string | undefined;
  readonly format: (row: SummaryRow) => string;
}

export const COLUMNS: readonly Column[] = [
  { key: 'buffer', title: 'buffer', value: (row) => row.buffer, format: (row) => String(row.buffer) },
  { key: 'abr', title: 'rule', value: (row) => row.abr, format: (row) => row.abr },
  percent('bufRatioMean', 'bufRatio %', (row) => row.bufRatio.mean),
  {
    ...{ key: 'bufRatioStandardError', title: '± s.e.', value: (row) => row.standardError ?? undefined },
    format: ({ standardError }) => (standardError === null ? '–' : (100 * standardError).toFixed(2)),
  },
  percent('bufRatioMedian', 'median', (row) => row.bufRatio.median),
  percent('bufRatioP90', 'p90', (row) => row.bufRatio.p90),
  percent('bufRatioP95', 'p95', (row) => row.bufRatio.p95),
  {
    ...decimal('score', 'score', (row) => row.score, 4),
    format: ({ score, slideShowBeside }) => `${score.toFixed(4)}${slideShowMark(slideShowBeside)}`,
  },
  decimal('scoreP10', 'p10', (row) => row.scoreP10, 4),
  { ...decimal('bitrate', 'kbit/s', (row) => row.bitrate, 0), format: (row) => (row.bitrate / 1000).toFixed(0) },
  decimal('switches', 'switches', (row) => row.switches, 1),
  decimal('aSSIM', 'aSSIM', (row) => row.aSSIM, 4),
  decimal('qoe', 'QoE', (row) => row.qoe, 4),
  percent('perfect', 'perfect %', (row) => row.perfect),
  percent('partial', 'partial %', (row) => row.partial),
  decimal('startup', 'start s', (row) => row.startup.mean, 2),
  decimal('startupMedian', 'median s', (row) => row.startup.median, 2),
  decimal('startupP95', 'p95 s', (row) => row.startup.p95, 2),
  decimal('scoreFirst', 'first 10 s', (row) => row.scoreFirst, 4),
  decimal('waited', 'waited s', (row) => row.waited.mean, 2),
  decimal('waitedMedian', 'median s', (row) => row.waited.median, 2),
  decimal('waitedP90', 'p90 s', (row) => row.waited.p90, 2),
  ...TAIL_COLUMNS.map(({ key, title, value, format }): Column => ({
    ...{ key, title, format: ({ tails }) => format(tails) },
    value: ({ tails }) => value(tails) ?? undefined,
  })),
  percent('linkIdle', 'link idle %', (row) => row.linkIdle),
  decimal('felt', 'felt QoE', (row) => row.felt, 4),
  decimal('soda', "SODA's", (row) => row.soda, 4),
];

interface Compared {
  readonly name: keyof Versus;
  readonly title: string;
  readonly scale: number;
  readonly digits: number;
}

const COMPARED: readonly Compared[] = [
  { name: 'bufRatio', title: 'Δ bufRatio, pp', scale: 100, digits: 2 },
  { name: 'bufRatioP90', title: 'Δ its p90', scale: 100, digits: 2 },
  { name: 'score', title: 'Δ score', scale: 1, digits: 4 },
  { name: 'qoe', title: 'Δ QoE', scale: 1, digits: 4 },
  { name: 'felt', title: 'Δ felt QoE', scale: 1, digits: 4 },
  { name: 'soda', title: "Δ SODA's", scale: 1, digits: 4 },
  { name: 'switches', title: 'Δ switches', scale: 1, digits: 1 },
  { name: 'startup', title: 'Δ start, s', scale: 1, digits: 2 },
  { name: 'startupMedian', title: 'Δ its median', scale: 1, digits: 2 },
  { name: 'scoreFirst', title: 'Δ first 10 s', scale: 1, digits: 4 },
  { name: 'waited', title: 'Δ waited, s', scale: 1, digits: 2 },
  { name: 'waitedMedian', title: 'Δ its median', scale: 1, digits: 2 },
  { name: 'waitedP90', title: 'Δ its p90', scale: 1, digits: 2 },
  { name: 'waitedWorst', title: 'Δ worst 5 %, s', scale: 1, digits: 2 },
  { name: 'waitsLong', title: 'Δ over 5 %, pp', scale: 100, digits: 1 },
  { name: 'longestStall', title: 'Δ longest stall, s', scale: 1, digits: 2 },
  { name: 'longestStill', title: 'Δ longest still, s', scale: 1, digits: 2 },
  { name: 'picturesPerSecond', title: 'Δ pictures/s', scale: 1, digits: 1 },
];

/** What the paired comparison with the baseline adds where people read it. */
export const COMPARISON_COLUMNS: readonly Omit<Column, 'value'>[] = COMPARED.map(({ name, title, scale, digits }) => ({
  key: `${name}Difference`,
  title,
  format: ({ versus }) => interval(versus?.[name], scale, digits),
}));

/** The same as numbers; nothing for the baseline, no bounds of fewer than ten pairs. */
export const COMPARISON_NUMBERS: readonly Pick<Column, 'key' | 'value'>[] = COMPARED.flatMap(({ name }) => [
  { key: `${name}Difference`, value: ({ versus }: SummaryRow) => versus?.[name].value },
  { key: `${name}Low`, value: ({ versus }: SummaryRow) => versus?.[name].bounds?.low },
  { key: `${name}High`, value: ({ versus }: SummaryRow) => versus?.[name].bounds?.high },
]);

type Measure = (row: SummaryRow) => number;

function percent(key: string, title: string, value: Measure): Column {
  return { key, title, value, format: (row) => (100 * value(row)).toFixed(2) };
}

function decimal(key: string, title: string, value: Measure, digits: number): Column {
  return { key, title, value, format: (row) => value(row).toFixed(digits) };
}

function interval(difference: Difference | undefined, scale: number, digits: number): string {
  if (!difference) return '';
  return Number.isNaN(difference.value) ? '–' : intervalText(difference, digits, scale);
}
