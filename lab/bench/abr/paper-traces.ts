import type { SessionResult } from '../../sim/experiment.js';
import { runExperiment } from '../../sim/pool.js';
import { progressLine } from '../../sim/report/progress-line.js';
import { mean } from '../../sim/report/statistics.js';
import { summarise, type SummaryRow } from '../../sim/report/summary.js';
import { textTable } from '../../sim/report/text-table.js';
import { readTraces } from '../../sim/link/trace-source.js';
import type { Trace } from '../../sim/link/trace.js';
import { atLeast, type Bar } from '../../sim/report/bar.js';
import { BASELINE, RULES, SCENARIO, type Scale, type Section } from './section.js';
import { find } from './three-g.js';

/** Traces on which the thesis' gain is largest. */
const DEMANDING = ['Verizon', 'TMobile'];

/** A bufRatio that counts as none at all. */
const NO_STALLS = 0.001;

const SCALES = {
  full: { buffers: [1, 2, 3, 5, 7], shifts: 30, shiftsWithOptimum: 3 },
  quick: { buffers: [1, 7], shifts: 4, shiftsWithOptimum: 1 },
} as const;

/** The five traces of the thesis at every buffer length (Figs. 6.9, 6.11, 6.14). */
export async function paperTraces(folder: string, scale: Scale): Promise<Section> {
  const { buffers, shifts, shiftsWithOptimum } = SCALES[scale];
  const traces = readTraces(folder, SCENARIO.seed);
  const experiment = { ...SCENARIO, traces, buffers, shifts, rules: RULES };
  const results = await runExperiment(experiment, { onProgress: progressLine('paper traces') });
  const perTrace = traces.map(({ name }) => ({
    trace: name,
    rows: summarise(
      results.filter(({ trace }) => trace === name),
      BASELINE,
    ),
  }));
  const way = await wayToOptimum(traces, buffers, shiftsWithOptimum);
  return {
    title: `5 paper traces × buffers ${buffers.join(', ')} × ${shifts} starts, synthetic content, QUIC`,
    text: [
      ...perTrace.map(({ trace, rows }) => `${trace}\n${textTable(rows)}\n`),
      `share of the way from the lowest level to the optimum (${shiftsWithOptimum} start(s) each):`,
      ...Object.entries(way).map(([rule, share]) => `  ${rule}: ${(100 * share).toFixed(1)} %`),
    ].join('\n'),
    data: { perTrace, wayToOptimum: way },
    bars: [
      ...perTrace.flatMap(({ trace, rows }) => traceBars(trace, rows, buffers)),
      atLeast('paper traces: share of the way to the optimum', way['abr-star']!, 0.9),
    ],
  };
}

/** How far each rule gets: (rule − lowest) / (optimum − lowest) of the mean QoE. */
async function wayToOptimum(
  traces: readonly Trace[],
  buffers: readonly number[],
  shifts: number,
): Promise<Record<string, number>> {
  const experiment = { ...SCENARIO, traces, buffers, shifts, rules: [...RULES, 'lowest', 'optimum'] };
  const results = await runExperiment(experiment, { onProgress: progressLine('offline optimum') });
  const lowest = meanQoe(results, 'lowest');
  const optimum = meanQoe(results, 'optimum');
  return Object.fromEntries(RULES.map((rule) => [rule, (meanQoe(results, rule) - lowest) / (optimum - lowest)]));
}

function meanQoe(results: readonly SessionResult[], rule: string): number {
  return mean(results.filter(({ abr }) => abr === rule).map(({ qoe }) => qoe));
}

function traceBars(trace: string, rows: readonly SummaryRow[], buffers: readonly number[]): Bar[] {
  const over = (rule: string, measure: (row: SummaryRow) => number) =>
    mean(buffers.map((buffer) => measure(find(rows, rule, buffer))));
  const rivals = RULES.filter((rule) => rule !== 'abr-star');
  const bestRival = Math.max(...rivals.map((rule) => over(rule, ({ qoe }) => qoe)));
  const score = (rule: string) => over(rule, (row) => row.score);
  return [
    atLeast(`${trace}: score of abr-star less BOLA-E's`, score('abr-star') - score(BASELINE), 0),
    atLeast(`${trace}: QoE of abr-star less the best rival's`, over('abr-star', ({ qoe }) => qoe) - bestRival, 0),
    ...(DEMANDING.some((name) => trace.startsWith(name)) ? buffers.map((buffer) => stallBar(trace, rows, buffer)) : []),
  ];
}

/** How much less `abr-star` stalls than BOLA-E at the 90th percentile. */
function stallBar(trace: string, rows: readonly SummaryRow[], buffer: number): Bar {
  const [ours, theirs] = ['abr-star', BASELINE].map((rule) => find(rows, rule, buffer).bufRatio.p90) as [
    number,
    number,
  ];
  const reduction = theirs === 0 ? 0 : 1 - ours / theirs;
  const name = `${trace}, buffer ${buffer}: less bufRatio than BOLA-E at the 90th percentile`;
  if (buffer === 1) return atLeast(name, reduction, 0.75);
  return { name, value: reduction, demand: '≥ 0.9, or ≤ 0.1 % left', holds: reduction >= 0.9 || ours <= NO_STALLS };
}
