import { groupBy } from '../../sim/report/group-by.js';
import { escaped, strokeOf } from '../../sim/report/line-chart.js';
import { definitionList, reportTable, TABLE_STYLE } from '../../sim/report/report-table.js';
import type { TrialResult } from '../result.js';
import { buffersCharts, labelOf, liveCharts, progressCharts, scoreCharts, type ChartedSystem } from './charts.js';
import { COMPARISON_COLUMNS, isForLive, LIVE_COMPARISON_COLUMNS, MEASURE_COLUMNS } from './columns.js';
import { DEFINITIONS } from './definitions.js';
import { explained } from './facts.js';
import { isSameScenario, scenarios, scenarioTitle, summarise, type SummaryRow } from './summary.js';
import type { Timeline } from './timeline.js';

export interface ReportInput {
  readonly title: string;
  readonly baseline: string;
  /** In the order of the configuration. */
  readonly systems: readonly ChartedSystem[];
  /** Attempts at the configuration's trials, invalid ones among them. */
  readonly results: readonly TrialResult[];
  /** What was run, one line each. */
  readonly facts: readonly string[];
  readonly timelineOf: (result: TrialResult) => Timeline | undefined;
}

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif }
body { max-width: 1440px; margin: 2em auto; padding: 0 1em }
.charts { display: flex; flex-wrap: wrap; gap: 1em } .charts svg { width: 460px; max-width: 100% }
svg text { font: 11px system-ui, sans-serif; fill: currentColor } svg .title { font-weight: 600; font-size: 13px }
svg .grid { stroke: #8884 } svg .whisker { stroke: currentColor; stroke-width: 1.5 }
.legend span { margin-right: 1.2em; white-space: nowrap } .legend svg { width: 28px }
${TABLE_STYLE}`;

/** One HTML file with pictures, nothing to load. */
export function htmlReport(input: ReportInput): string {
  const { title, results, systems, baseline, facts } = input;
  const valid = results.filter((result) => result.valid);
  const rows = summarise(valid, baseline);
  const together = rows.filter(({ trace }) => trace === 'all');
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">
<title>${escaped(title)}</title><style>${STYLE}</style>
<main>
<h1>${escaped(title)}</h1>
<ul>${facts.map((fact) => `<li>${escaped(fact)}</li>`).join('')}</ul>
<p>${escaped(explained(rows, labelOf(systems, baseline)))}</p>
${definitionList(columnsOf(rows), DEFINITIONS)}
<p class="legend">${systems.map(({ label }, index) => legendEntry(label, index)).join('')}</p>
${togetherSections(together, valid, systems)}
${scenarios(valid)
  .map((scenario) => scenarioSection(scenario, rows, systems))
  .join('\n')}
${invalidSection(results.filter((result) => !result.valid))}
<h2>Sessions</h2>
<p>The link's rate is that of its trace; a level's line spans its segment's download.</p>
<p class="legend">${['link', 'estimated throughput', 'level'].map(legendEntry).join('')}</p>
${results.map((result) => sessionSection(result, input.timelineOf(result))).join('\n')}
</main>
</html>
`;
}

/** A section for all that differs in more than the trace. */
function togetherSections(
  rows: readonly SummaryRow[],
  results: readonly TrialResult[],
  systems: readonly ChartedSystem[],
): string {
  return [...groupBy(rows, scenarioTitle)]
    .map(([title, own]) => {
      const ofScenario = results.filter((result) => isSameScenario({ ...result, trace: 'all' }, own[0]!));
      return `<h2>${escaped(title)}</h2>${section(title, own, ofScenario, systems)}`;
    })
    .join('\n');
}

function scenarioSection(
  scenario: readonly TrialResult[],
  rows: readonly SummaryRow[],
  systems: readonly ChartedSystem[],
): string {
  const own = rows.filter((row) => isSameScenario(row, scenario[0]!));
  const title = scenarioTitle(scenario[0]!);
  return `<h2>${escaped(title)}</h2>${section(title, own, scenario, systems)}`;
}

function section(
  title: string,
  rows: readonly SummaryRow[],
  results: readonly TrialResult[],
  systems: readonly ChartedSystem[],
): string {
  const charts = [
    ...(rows.some(({ live }) => live) ? liveCharts(rows, systems) : buffersCharts(rows, systems)),
    ...scoreCharts(results, systems),
    ...progressCharts(results, systems),
  ];
  return `${reportTable(title, columnsOf(rows), rows)}<div class="charts">${charts.join('\n')}</div>`;
}

/** Those of live sessions where there are such. */
function columnsOf(rows: readonly SummaryRow[]) {
  const areLive = rows.some(({ live }) => live);
  return [
    ...MEASURE_COLUMNS.filter(({ key, title }) => title !== '' && (areLive || !isForLive(key))),
    ...(areLive ? LIVE_COMPARISON_COLUMNS : COMPARISON_COLUMNS),
  ];
}

function invalidSection(invalid: readonly TrialResult[]): string {
  if (invalid.length === 0) return '<h2>Attempts that do not count</h2><p>None.</p>';
  const lines = invalid.map(
    (result) =>
      `<li>${escaped(`${nameOf(result)}: ${result.problems.join('; ')}; bufRatio ${percent(result.bufRatio)}`)}</li>`,
  );
  return `<h2>Attempts that do not count</h2><p>They are repeated, and in none of the figures above.</p><ul>${lines.join('')}</ul>`;
}

function sessionSection(result: TrialResult, timeline: Timeline | undefined): string {
  const figures = `bufRatio ${percent(result.bufRatio)}, SSIM ${result.score.toFixed(4)}, ${(result.bitrate / 1e6).toFixed(2)} Mbit/s`;
  const notes = result.notes.map((note) => `<li>${escaped(note)}</li>`).join('');
  const charts = timeline ? `<div class="charts">${timeline.rates}${timeline.buffer}</div>` : '';
  const verdict = result.valid ? '' : ' (does not count)';
  return `<details><summary>${escaped(`${nameOf(result)}: ${figures}${verdict}`)}</summary>${charts}<ul>${notes}</ul></details>`;
}

function nameOf({ trace, path, server, control, shift, crossTraffic, buffer, label, repetition }: TrialResult): string {
  const traffic = crossTraffic === 'none' ? '' : `, ${crossTraffic}`;
  return `${trace}, ${path}, ${server} with ${control}, start ${shift}${traffic}, buffer ${buffer}, ${label}, repetition ${repetition}`;
}

function legendEntry(label: string, index: number): string {
  const line = `<line x1="0" x2="28" y1="5" y2="5" stroke-width="4" ${strokeOf(index)}/>`;
  return `<span><svg viewBox="0 0 28 10">${line}</svg> ${escaped(label)}</span>`;
}

function percent(ratio: number): string {
  return `${(100 * ratio).toFixed(2)} %`;
}
