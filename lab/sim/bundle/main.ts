import { say, UserError } from '../../../tools/setup/process.mjs';
import { readTraces } from '../link/trace-source.js';
import { progressLine } from '../report/progress-line.js';
import { pairsOf, runPair } from './experiment.js';
import { BUNDLE_USAGE, parseBundleOptions } from './options.js';
import { summarise, tables, verdicts } from './summary.js';

/** `npm run simulate -- bundle`. Returns the exit code. */
export function bundleMain(args: readonly string[]): number {
  const options = parseBundleOptions(args);
  if (!options) {
    console.log(BUNDLE_USAGE);
    return 0;
  }
  const { json, seed } = options;
  const traces = readTraces(options.traces, seed);
  if (traces.length < 2) throw new UserError(`--traces must name at least two links, got '${options.traces}' with one`);
  const started = Date.now();
  const progress = progressLine('playing');
  const pairs = pairsOf(traces, options.pairs, seed);
  const results = pairs.map((pair, index) => {
    const result = runPair(pair, seed);
    progress(index + 1, pairs.length);
    return result;
  });
  const summary = summarise(results);
  process.stdout.write(
    `${json ? JSON.stringify({ ...options, results, summary, verdicts: verdicts(results) }) : tables(results, summary)}\n`,
  );
  say(`${results.length} pairs in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return 0;
}
