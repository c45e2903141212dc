import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrialsConfig } from '../config.js';
import type { Trial } from '../plan.js';
import type { TrialResult } from '../result.js';
import { trialFolder } from '../run-trial.js';
import type { System } from '../system.js';
import type { ChartedSystem } from './charts.js';
import { csvTable } from './columns.js';
import { factsOf } from './facts.js';
import { htmlReport } from './html.js';
import { markdownSummary } from './markdown.js';
import { summarise } from './summary.js';
import { drawTimeline } from './timeline.js';

export interface WrittenReport {
  readonly config: TrialsConfig;
  readonly trials: readonly Trial[];
  /** Attempts at these trials. */
  readonly results: readonly TrialResult[];
  readonly out: string;
}

/** Writes `summary.csv`, `summary.md` and `report.html`. */
export function writeReport({ config, trials, results, out }: WrittenReport): void {
  const { title, baseline } = config;
  const systems = chartedSystems(config.systems);
  const facts = factsOf(config, results, trials.length);
  const valid = results.filter((result) => result.valid);
  const rows = summarise(valid, baseline);
  writeFileSync(join(out, 'summary.csv'), csvTable(rows));
  writeFileSync(join(out, 'summary.md'), markdownSummary({ title, baseline, systems, facts, rows }));
  const html = htmlReport({
    ...{ title, baseline, systems, facts, results },
    timelineOf: (result) => drawTimeline(trialFolder(out, result.id, result.attempt), result),
  });
  writeFileSync(join(out, 'report.html'), html);
}

export function chartedSystems(systems: readonly System[]): ChartedSystem[] {
  return systems.map(({ name, label }) => ({ system: name, label }));
}
