import { say } from '../../../tools/setup/process.mjs';
import { progressLine } from '../report/progress-line.js';
import { collisions, fairness, figure12, figure4 } from './figures.js';
import { FLOWS_USAGE, parseFlowsOptions } from './options.js';
import { headlines, tables } from './summary.js';

/** `npm run simulate -- flows`. Returns the exit code. */
export function flowsMain(args: readonly string[]): number {
  const options = parseFlowsOptions(args);
  if (!options) {
    console.log(FLOWS_USAGE);
    return 0;
  }
  const { json, ...experiment } = options;
  const started = Date.now();
  const results = {
    figure4: figure4(experiment, progressLine('playing')),
    figure12: figure12(experiment.seed),
    collisions: collisions(experiment),
    fairness: fairness(experiment),
  };
  const shown = { ...experiment, headlines: headlines(results), ...results };
  process.stdout.write(`${json ? JSON.stringify(shown) : tables(results)}\n`);
  say(`in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return 0;
}
