import { join } from 'node:path';
import { say } from '../../tools/setup/process.mjs';
import { readConfig } from './config.js';
import { openLaboratory } from './laboratory.js';
import { prepareMedia, type Media } from './media.js';
import { parseOptions, USAGE, type TrialsOptions } from './options.js';
import { planTrials, tracesOf, type Trial } from './plan.js';
import { ResultsFile } from './results-file.js';
import { runAll } from './run-all.js';

const QUICK_CONFIG = join(import.meta.dirname, 'configs/quick.json');

const INTERRUPTED = 130;

/** `npm run trials`. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, QUICK_CONFIG);
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  const config = readConfig(options.config);
  const traces = tracesOf(config);
  const videos: Media[] = [];
  for (const video of config.videos) videos.push(await prepareMedia(video));
  const trials = planTrials(config, videos, traces);
  const file = new ResultsFile(options.out, options.existing);
  if (options.mode === 'run' && (await runUntilInterrupted(trials, file, options))) return INTERRUPTED;
  return 0;
}

/** Returns whether Ctrl-C came first. Even then every finished trial is kept. */
async function runUntilInterrupted(
  trials: readonly Trial[],
  file: ResultsFile,
  options: TrialsOptions,
): Promise<boolean> {
  const interrupt = new AbortController();
  const onSignal = () => interrupt.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  const laboratory = await openLaboratory(interrupt.signal);
  try {
    await runAll(trials, file, laboratory, options);
    return false;
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    say('interrupted: --resume continues');
    return true;
  } finally {
    laboratory.close();
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}
