import { runExperiment } from '../../sim/pool.js';
import { progressLine } from '../../sim/report/progress-line.js';
import { summarise, type SummaryRow } from '../../sim/report/summary.js';
import { textTable } from '../../sim/report/text-table.js';
import { readTraces } from '../../sim/link/trace-source.js';
import { atLeast, atMost, type Bar } from '../../sim/report/bar.js';
import { BASELINE, RULES, SCENARIO, type Scale, type Section } from './section.js';

/** Mean bufRatio of the thesis' Fig. 6.16 and the text below it, by rule and buffer. */
const THESIS: Record<string, Record<number, number>> = {
  bola: { 1: 0.079, 7: 0.071 },
  'bola-ssim': { 1: 0.082, 7: 0.071 },
  'abr-star-2021': { 1: 0.051, 7: 0.028 },
};

/** Every so many of the 86 traces in a quick run. */
const QUICK_STRIDE = 6;

/** The 86 3G traces with the shortest and the longest buffer (thesis Fig. 6.16). */
export async function threeG(folder: string, scale: Scale): Promise<Section> {
  const all = readTraces(folder, SCENARIO.seed);
  const traces = scale === 'full' ? all : all.filter((_, index) => index % QUICK_STRIDE === 0);
  const rules = [...RULES, 'lowest', 'optimum'];
  const experiment = { ...SCENARIO, traces, rules, buffers: [1, 7], shifts: 1 };
  const rows = summarise(await runExperiment(experiment, { onProgress: progressLine('3G traces') }), BASELINE);
  const thesis = Object.entries(THESIS).flatMap(([rule, figures]) =>
    Object.entries(figures).map(([buffer, bufRatio]) => thesisLine(find(rows, rule, Number(buffer)), bufRatio)),
  );
  return {
    title: `${traces.length} 3G traces, synthetic content, QUIC`,
    text: [textTable(rows), ...differences(rows), ...thesis].join('\n'),
    data: rows,
    bars: bars(rows),
  };
}

function bars(rows: readonly SummaryRow[]): Bar[] {
  const [ours, rival] = [(buffer: number) => find(rows, 'abr-star', buffer), (b: number) => find(rows, BASELINE, b)];
  const ratio = (buffer: number) => ours(buffer).bufRatio.mean / rival(buffer).bufRatio.mean;
  const at1 = (rule: string) => find(rows, rule, 1).bufRatio.mean;
  return [
    atMost('3G, 1 segment: bufRatio of abr-star over BOLA-E', ratio(1), 0.65),
    atMost('3G, 7 segments: bufRatio of abr-star over BOLA-E', ratio(7), 0.5),
    ...[1, 7].map((b) =>
      atLeast(`3G, ${b} segment(s): score of abr-star less BOLA-E's`, ours(b).score - rival(b).score, 0),
    ),
    ...[1, 7].map((b) => atLeast(`3G, ${b} segment(s): QoE of abr-star less the best rival's`, lead(rows, b), 0)),
    atLeast('3G, 1 segment: bufRatio of BOLA-SSIM over BOLA', at1('bola-ssim') / at1('bola'), 1),
    atMost('3G, 1 segment: bufRatio of abr-star-2021 over BOLA (thesis: 0.65)', at1('abr-star-2021') / at1('bola'), 1),
  ];
}

/** Lead of `abr-star` over all other rules in QoE. */
export function lead(rows: readonly SummaryRow[], buffer: number): number {
  const rivals = RULES.filter((rule) => !rule.startsWith('abr-star')).map((rule) => find(rows, rule, buffer).qoe);
  const older = find(rows, 'abr-star-2021', buffer).qoe;
  return find(rows, 'abr-star', buffer).qoe - Math.max(...rivals, older);
}

export function find(rows: readonly SummaryRow[], rule: string, buffer: number): SummaryRow {
  return rows.find((row) => row.abr === rule && row.buffer === buffer)!;
}

function differences(rows: readonly SummaryRow[]): string[] {
  return rows.flatMap(({ abr, buffer, versus }) => {
    if (!versus) return [];
    const { value, bounds } = versus.bufRatio;
    const percent = (ratio: number) => (100 * ratio).toFixed(2);
    const within = bounds ? `, 95 % within [${percent(bounds.low)}, ${percent(bounds.high)}]` : '';
    return [`${abr}, buffer ${buffer}: bufRatio ${percent(value)} pp against ${BASELINE}${within}`];
  });
}

function thesisLine({ abr, buffer, bufRatio }: SummaryRow, thesis: number): string {
  return `${abr}, buffer ${buffer}: mean bufRatio ${(100 * bufRatio.mean).toFixed(1)} %, thesis ${(100 * thesis).toFixed(1)} %`;
}
