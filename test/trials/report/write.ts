import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrialsConfig } from '../config.js';
import type { Trial } from '../plan.js';
import type { TrialResult } from '../result.js';
import { trialFolder } from '../run-trial.js';
import type { System } from '../system.js';
import type { ChartedSystem } from './charts.js';
import { csvTable } from './columns.js';
import { htmlReport } from './html.js';
import { summarise } from './summary.js';
import { drawTimeline } from './timeline.js';

export interface WrittenReport {
  readonly config: TrialsConfig;
  readonly trials: readonly Trial[];
  /** Attempts at these trials. */
  readonly results: readonly TrialResult[];
  readonly out: string;
}

/** Writes `summary.csv` and `report.html`. */
export function writeReport({ config, trials, results, out }: WrittenReport): void {
  const { title, baseline, path, shifts, repetitions } = config;
  const valid = results.filter((result) => result.valid);
  writeFileSync(join(out, 'summary.csv'), csvTable(summarise(valid, baseline)));
  const html = htmlReport({
    ...{ title, baseline, results },
    systems: chartedSystems(config.systems),
    planned: trials.length,
    facts: [
      `${shifts} start(s) in each trace, ${repetitions} repetition(s)`,
      `path: ${path.delayMs} ms each way, queue ${JSON.stringify(path.queue)}, ${path.lossPercent} % random loss`,
    ],
    timelineOf: ({ id, attempt }) => drawTimeline(trialFolder(out, id, attempt)),
  });
  writeFileSync(join(out, 'report.html'), html);
}

export function chartedSystems(systems: readonly System[]): ChartedSystem[] {
  return systems.map(({ name, label }) => ({ system: name, label }));
}
