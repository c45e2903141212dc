import { median } from '../report/statistics.js';
import { aligned } from '../report/text-table.js';
import { COMPARED, type Figures, type PairResult } from './experiment.js';

/** A schedule over all pairs, each beside the better link alone: 1 is the same. */
export interface ScheduleRow {
  readonly schedule: string;
  /** Of the 99th percentile of the segments' times. */
  readonly p99Median: number;
  readonly p99Worst: number;
  /** Of their mean. */
  readonly meanWorst: number;
  /** Of the seconds waited, summed over the pairs. */
  readonly waited: number;
  /** Most of all pairs: share of the bytes. */
  readonly redundantMost: number;
}

export function summarise(results: readonly PairResult[]): ScheduleRow[] {
  return COMPARED.map((schedule) => {
    const ratios = (figure: keyof Figures) => results.map(({ of, best }) => of[schedule][figure] / best[figure]);
    const total = (figures: (result: PairResult) => Figures) =>
      results.reduce((sum, result) => sum + figures(result).waited, 0);
    return {
      schedule,
      p99Median: median(ratios('segmentP99')),
      p99Worst: Math.max(...ratios('segmentP99')),
      meanWorst: Math.max(...ratios('segmentMean')),
      waited: total(({ of }) => of[schedule]) / total(({ best }) => best),
      redundantMost: Math.max(...results.map(({ of }) => of[schedule].redundant)),
    };
  });
}

/** For a terminal: a line for each pair, then for each schedule. */
export function tables(results: readonly PairResult[], rows: readonly ScheduleRow[]): string {
  const shown = ({ segmentP99, waited }: Figures) => `${segmentP99.toFixed(2)} / ${waited.toFixed(1)}`;
  const body = results.map(({ pair, best, of }) => [pair, shown(best), ...COMPARED.map((name) => shown(of[name]))]);
  const cells = rows.map(({ schedule, redundantMost, ...ratios }) => [
    schedule,
    ...[ratios.p99Median, ratios.p99Worst, ratios.meanWorst, ratios.waited].map((ratio) => ratio.toFixed(2)),
    (100 * redundantMost).toFixed(1),
  ]);
  return [
    '99th percentile of the segments’ times / seconds waited',
    aligned([['links', 'better alone', ...COMPARED], ...body], [0]),
    '',
    'Over the better link alone',
    aligned([['', 'p99, median', 'p99, worst', 'mean, worst', 'waited', 'asked for twice, most %'], ...cells], [0]),
  ].join('\n');
}
