import { say } from '../../../tools/setup/process.mjs';
import { progressLine } from '../report/progress-line.js';
import { runPages } from './experiment.js';
import { parsePageOptions, PAGE_USAGE } from './options.js';
import { segmentRates } from './segments.js';
import { besideThesis, groupRows, segmentsTable, tables } from './summary.js';

/** `npm run simulate -- page`. Returns the exit code. */
export function pageMain(args: readonly string[]): number {
  const options = parsePageOptions(args);
  if (!options) {
    console.log(PAGE_USAGE);
    return 0;
  }
  const { json, ...experiment } = options;
  const started = Date.now();
  const loads = runPages(experiment, progressLine('loading'));
  const [rows, figures] = [groupRows(loads), besideThesis(loads)];
  const segments = segmentRates();
  const text = () => `${tables(rows, figures)}\n\n${segmentsTable(segments)}`;
  process.stdout.write(`${json ? JSON.stringify({ ...experiment, rows, figures, segments }) : text()}\n`);
  say(`${loads.length} pairs of page and scenario in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return 0;
}
