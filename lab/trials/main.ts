import { basename, join } from 'node:path';
import { say } from '../../tools/setup/process.mjs';
import { simulateAll } from './calibrate.js';
import { readConfig, type TrialsConfig } from './config.js';
import { keptTrials } from './kept-trials.js';
import { commitHere, openLaboratory } from './laboratory.js';
import type { Media } from './media.js';
import { parseOptions, USAGE, type TrialsOptions } from './options.js';
import { describePlan } from './plan-description.js';
import { planTrials, type Trial } from './plan.js';
import { prepareMedia } from './prepare-media.js';
import { quickVerdict } from './quick-verdict.js';
import { calibrationTable } from './report/calibration.js';
import { chartedSystems, writeReport } from './report/write.js';
import type { TrialResult } from './result.js';
import { ResultsFile, writeSimulated } from './results-file.js';
import { runAll } from './run-all.js';
import { smoke } from './smoke.js';
import { shareOf } from '../sim/shard.js';
import { tracesOf } from './traces.js';

const QUICK_CONFIG = join(import.meta.dirname, 'configs/quick.json');

const INTERRUPTED = 130;

/** `npm run trials`. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  if (options.mode === 'smoke') return untilInterrupted((signal) => smoke(options, signal));
  const config = readConfig(options.config ?? QUICK_CONFIG);
  const traces = tracesOf(config);
  if (options.mode === 'report') {
    const { results } = new ResultsFile(options.sessions, options.existing);
    return report(config, keptTrials(config, traces, results), results, options);
  }
  const videos: Media[] = [];
  for (const video of config.videos) videos.push(await prepareMedia(video, config.live));
  const trials = shareOf(planTrials(config, videos, traces), options.shard);
  if (options.mode === 'plan') {
    console.log(describePlan(trials));
    return 0;
  }
  const file = new ResultsFile(options.sessions, options.existing);
  const interrupted =
    options.mode === 'run' &&
    (await untilInterrupted((signal) => runHere({ trials, servers: config.servers }, file, options, signal))) !== 0;
  if (options.mode === 'calibrate') {
    const simulated = simulateAll(trials, file.results, config.shifts, commitHere());
    console.log(
      calibrationTable([{ name: basename(options.config ?? 'quick', '.json'), sessions: file.results, simulated }]),
    );
    say(`wrote ${writeSimulated(options.sessions, simulated)}`);
    return 0;
  }
  const code = report(config, trials, file.results, options);
  return interrupted ? INTERRUPTED : code;
}

/** Writes the report of the folder's results, and says what they come to. */
function report(
  config: TrialsConfig,
  trials: readonly Trial[],
  kept: readonly TrialResult[],
  { out, isQuick }: TrialsOptions,
): number {
  const results = attemptsAt(trials, kept);
  writeReport({ config, trials, results, out });
  say(`see ${out}/report.html`);
  return isQuick ? endQuick(config, results) : countingAll(trials, results);
}

/** A folder may also hold trials of an earlier form of the configuration. */
function attemptsAt(trials: readonly Trial[], results: readonly TrialResult[]): TrialResult[] {
  return trials.flatMap(({ id }) => results.filter((result) => result.id === id));
}

function endQuick({ systems }: TrialsConfig, results: readonly TrialResult[]): number {
  const { text, holds } = quickVerdict(results, chartedSystems(systems));
  console.log(text);
  return holds ? 0 : 1;
}

function countingAll(trials: readonly Trial[], results: readonly TrialResult[]): number {
  const missing = trials.filter(({ id }) => !results.some((result) => result.id === id && result.valid));
  if (missing.length > 0) say(`${missing.length} of ${trials.length} trials do not count: the report lists them`);
  return missing.length > 0 ? 1 : 0;
}

/** Every finished trial is kept, even when others are interrupted. */
async function runHere(
  { trials, servers }: { readonly trials: readonly Trial[]; readonly servers: TrialsConfig['servers'] },
  file: ResultsFile,
  options: TrialsOptions,
  signal: AbortSignal,
): Promise<number> {
  const laboratory = await openLaboratory(signal, servers);
  try {
    await runAll(trials, file, laboratory, options);
    return 0;
  } finally {
    laboratory.close();
  }
}

/** Resolves to the exit code of `work`, or of an interruption if Ctrl-C came first. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<number>): Promise<number> {
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  try {
    return await work(interrupt.signal);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    say('interrupted: --resume continues');
    return INTERRUPTED;
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
