import { COLUMNS, COMPARISON_COLUMNS } from './columns.js';
import { DEFINITIONS } from './definitions.js';
import type { SessionResult } from '../experiment.js';
import { groupBy } from './group-by.js';
import { escaped, lineChart, strokeOf, type Series } from './line-chart.js';
import { definitionList, reportTable, TABLE_STYLE } from './report-table.js';
import { quantiles } from './statistics.js';
import { summarise, type SummaryRow } from './summary.js';

/** Up to so many kinds of links the report has a table for each. */
const KINDS_WITH_TABLES = 12;

/** Points of a distribution's curve. */
const CURVE_POINTS = 101;

export interface ReportInput {
  readonly results: readonly SessionResult[];
  readonly baseline: string;
  /** What was run, one line each. */
  readonly facts: readonly string[];
  /** Which links have a table together, by the names of their traces. Default: each has its own. */
  readonly kindOf?: (trace: string) => string;
}

const TABLE_COLUMNS = [...COLUMNS, ...COMPARISON_COLUMNS];

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif }
body { max-width: 1100px; margin: 2em auto; padding: 0 1em }
.charts { display: flex; flex-wrap: wrap; gap: 1em } svg { width: 460px; max-width: 100% }
svg text { font: 11px system-ui, sans-serif; fill: currentColor } svg .title { font-weight: 600; font-size: 13px }
svg .grid { stroke: #8884 } .legend span { margin-right: 1.2em; white-space: nowrap } .legend svg { width: 28px }
${TABLE_STYLE}`;

/** One HTML file with pictures, nothing to load. */
export function htmlReport({ results, baseline, facts, kindOf = (trace) => trace }: ReportInput): string {
  const rows = summarise(results, baseline);
  const rules = unique(results.map(({ abr }) => abr));
  const buffers = unique(results.map(({ buffer }) => buffer));
  const byKind = groupBy(results, ({ trace }) => kindOf(trace));
  const hasKinds = byKind.size > 1 && byKind.size <= KINDS_WITH_TABLES;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<title>Simulated sessions</title><style>${STYLE}</style>
<main>
<h1>Simulated sessions</h1>
<ul>${facts.map((fact) => `<li>${escaped(fact)}</li>`).join('')}</ul>
<p>bufRatio: stalled time without start-up over the video's duration, each session's capped at 1. Differences (Δ) are paired
with ${escaped(baseline)} over the same traces and starts, with 95 % bootstrap intervals drawn over traces and their sessions; fewer than ten sessions have none.</p>
${table('All sessions', rows)}
${definitionList(TABLE_COLUMNS, DEFINITIONS)}
<p class="legend">${rules.map(legendEntry).join('')}</p>
<div class="charts">${[...overBuffers(rows, rules, buffers), ...distributions(results, rules, buffers)].join('\n')}</div>
${hasKinds ? [...byKind].map(([kind, own]) => kindSection(kind, own, baseline)).join('\n') : ''}
</main>
</html>
`;
}

function kindSection(kind: string, own: readonly SessionResult[], baseline: string): string {
  return `<h2>${escaped(kind)}</h2>${table(kind, summarise(own, baseline))}`;
}

function table(label: string, rows: readonly SummaryRow[]): string {
  return reportTable(label, TABLE_COLUMNS, rows);
}

function legendEntry(rule: string, index: number): string {
  const line = `<line x1="0" x2="28" y1="5" y2="5" stroke-width="2" ${strokeOf(index)}/>`;
  return `<span><svg viewBox="0 0 28 10">${line}</svg> ${escaped(rule)}</span>`;
}

/** What a longer buffer brings, if there is more than one length. */
function overBuffers(rows: readonly SummaryRow[], rules: readonly string[], buffers: readonly number[]): string[] {
  if (buffers.length < 2) return [];
  const chart = (title: string, measure: (row: SummaryRow) => number) =>
    lineChart({
      title: `${title} over buffer length`,
      xTitle: 'buffer, segments',
      yTitle: title,
      series: rules.map((name) => ({
        name,
        points: rows.filter(({ abr }) => abr === name).map((row) => [row.buffer, measure(row)] as const),
      })),
    });
  return [
    chart('90th percentile bufRatio, %', (row) => 100 * row.bufRatio.p90),
    chart('mean score', (row) => row.score),
    chart('QoE', (row) => row.qoe),
    chart('mean bitrate, Mbit/s', (row) => row.bitrate / 1e6),
  ];
}

/** Distributions of waits and stall ratios over sessions and of scores over segments, three for each buffer length. */
function distributions(
  results: readonly SessionResult[],
  rules: readonly string[],
  buffers: readonly number[],
): string[] {
  return buffers.flatMap((buffer) => {
    const of = (rule: string) => results.filter((result) => result.abr === rule && result.buffer === buffer);
    const series = (values: (own: readonly SessionResult[]) => number[]) =>
      rules.map((name) => distribution(name, values(of(name))));
    const title = `${buffer}-segment buffer`;
    const yTitle = 'share below';
    return [
      lineChart({
        ...{ title: `seconds waited, ${title}`, xTitle: 'seconds of start-up and stalls together', yTitle },
        series: series((own) => own.map(({ waited }) => waited)),
      }),
      lineChart({
        ...{ title: `bufRatio, ${title}`, xTitle: 'bufRatio, %', yTitle },
        series: series((own) => own.map(({ bufRatio }) => 100 * bufRatio)),
      }),
      lineChart({
        ...{ title: `score, ${title}`, xTitle: 'score of a segment', yTitle },
        series: series((own) => own.flatMap(({ scores }) => scores)),
      }),
    ];
  });
}

function distribution(name: string, values: readonly number[]): Series {
  const shares = Array.from({ length: CURVE_POINTS }, (_, index) => index / (CURVE_POINTS - 1));
  return { name, points: quantiles(values, shares).map((value, index) => [value, shares[index]!] as const) };
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
