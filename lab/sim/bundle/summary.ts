import { mean, median } from '../report/statistics.js';
import { aligned } from '../report/text-table.js';
import { COMPARED, type Figures, type PairResult } from './experiment.js';

/** A schedule over all pairs, each beside the better link alone: 1 is the same. */
export interface ScheduleRow {
  readonly schedule: string;
  /** Median of the 99th percentiles of the segments' times. */
  readonly p99Median: number;
  readonly p99Worst: number;
  /** Worst of their means. */
  readonly meanWorst: number;
  /** Ratio of the seconds waited, summed over the pairs. */
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

/** What is asked of the player's own schedule, over the better link alone; the last for each pair. */
const GOALS = { p99: 0.6, waited: 1 / 3, redundant: 0.02, worst: 1.05 };

/** A goal, what the player's own schedule came to, and whether that is enough. */
export interface Verdict {
  readonly goal: string;
  readonly ours: string;
  readonly holds: boolean;
}

/** The goals over all pairs, then those of the pairs that were not drawn. */
export function verdicts(results: readonly PairResult[]): Verdict[] {
  const { p99Median, waited, redundantMost } = summarise(results).find(({ schedule }) => schedule === 'voxel')!;
  const redundant = mean(results.map(({ of }) => of.voxel.redundant));
  const [first, ...others] = results.map((result) => ({ ...result, ...worstOf(result) }));
  const worst = others.reduce((a, b) => (b.ratio > a.ratio ? b : a), first!);
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return [
    {
      goal: `99th percentile of segment times ≤ ${GOALS.p99}, median of the pairs`,
      ...{ ours: p99Median.toFixed(2), holds: p99Median <= GOALS.p99 },
    },
    { goal: 'seconds waited ≤ 1/3, all pairs', ours: waited.toFixed(2), holds: waited <= GOALS.waited },
    {
      goal: `asked for twice ≤ ${percent(GOALS.redundant)}, mean of the pairs`,
      ...{ ours: `${percent(redundant)} (at most ${percent(redundantMost)})`, holds: redundant <= GOALS.redundant },
    },
    {
      goal: `no pair worse by more than 5 %, in any figure`,
      ...{ ours: `${worst.ratio.toFixed(2)} (${worst.what}: ${worst.pair})`, holds: worst.ratio <= GOALS.worst },
    },
    ...results
      .filter(({ isSpecial }) => isSpecial)
      .map((result): Verdict => {
        const { ratio, what } = worstOf(result);
        return {
          goal: `${result.pair}: no worse by more than 5 %`,
          ...{ ours: `${ratio.toFixed(2)} (${what})`, holds: ratio <= GOALS.worst },
        };
      }),
  ];
}

/** The worst figure of the player's own schedule, over the better link alone. */
function worstOf({ of: { voxel }, best }: PairResult): { readonly ratio: number; readonly what: string } {
  const ratios = [
    { ratio: voxel.segmentP99 / best.segmentP99, what: '99th percentile' },
    { ratio: voxel.segmentMean / best.segmentMean, what: 'mean time' },
    // Playback never begins without waiting.
    { ratio: voxel.waited / best.waited, what: 'waited' },
  ];
  return ratios.reduce((a, b) => (b.ratio > a.ratio ? b : a));
}

/** For a terminal: a line for each pair, then for each schedule, then the verdicts. */
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
    '',
    '`voxel` over the better link alone',
    aligned(
      [
        ['goal', 'ours', 'verdict'],
        ...verdicts(results).map(({ goal, ours, holds }) => [goal, ours, holds ? 'reached' : 'missed']),
      ],
      [0, 1, 2],
    ),
  ].join('\n');
}
