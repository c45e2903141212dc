import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { say, UserError } from '../../tools/setup/process.mjs';
import { bundleMain } from './bundle/main.js';
import { tasksOf, type Experiment, type SessionResult, type Task } from './experiment.js';
import { flowsMain } from './flows/main.js';
import { parseOptions, USAGE, type SimulateOptions } from './options.js';
import { pageMain } from './page/main.js';
import { allSessions } from './kept-sessions.js';
import { runExperiment } from './pool.js';
import { readJsonLines } from './report/json-lines.js';
import { progressLine } from './report/progress-line.js';
import { makeFolder, writeResults } from './report/write-results.js';
import { shareOf } from './shard.js';
import { readConditions, readTraces } from './link/trace-source.js';
import { offsetToMean, underRecord } from './link/trace.js';

/** `npm run simulate`. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  if (args[0] === 'page') return pageMain(args.slice(1));
  if (args[0] === 'flows') return flowsMain(args.slice(1));
  if (args[0] === 'bundle') return bundleMain(args.slice(1));
  const options = parseOptions(args);
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  const taken: string[] = [];
  const experiment = experimentOf(options, (line) => taken.push(line));
  for (const line of taken) say(line);
  makeFolder(options.out);
  const started = Date.now();
  const tasks = shareOf(tasksOf(experiment), options.shard);
  const results = options.isReport
    ? playedBefore(join(options.out, 'sessions.jsonl'), experiment, tasks)
    : await runExperiment(experiment, { tasks, jobs: options.jobs, onProgress: progressLine('simulating') });
  const facts = [...factsOf(options, experiment), ...taken];
  process.stdout.write(writeResults(options.out, { results, baseline: baselineOf(options.rules), facts }));
  say(`${results.length} sessions in ${((Date.now() - started) / 1000).toFixed(1)} s: see ${options.out}/report.html`);
  return 0;
}

/** The sessions of tasks in their order, from a file that has them in any. Throws a `UserError` where some are missing. */
function playedBefore(path: string, experiment: Experiment, tasks: readonly Task[]): SessionResult[] {
  if (!existsSync(path)) throw new UserError(`${path}: no such file`);
  return allSessions(readJsonLines<SessionResult>(path, 'a session'), experiment, tasks, path);
}

function factsOf(options: SimulateOptions, { traces, shifts, segments, seed }: Experiment): string[] {
  const { kind, ...path } = options.transport;
  return [
    `traces: ${options.traces} (${traces.length}), ${shifts} start(s) each`,
    ...(options.conditions === undefined ? [] : [`delays and losses: ${options.conditions}`]),
    `content: ${options.content}, ${segments} segments`,
    `transport: ${kind} ${JSON.stringify(path)}`,
    `seed: ${seed}`,
  ];
}

/** The rule that all others are compared with. */
function baselineOf(rules: readonly string[]): string {
  return rules.includes('bola-e') ? 'bola-e' : rules[0]!;
}

function experimentOf(
  { traces: source, conditions, mean, ...options }: SimulateOptions,
  onTaken: (line: string) => void,
): Experiment {
  const read = readTraces(source, options.seed, onTaken);
  const traces = mean === undefined ? read : read.map((trace) => offsetToMean(trace, mean));
  const { transport } = options;
  const hasLosses = transport.kind === 'quic' && transport.loss > 0;
  const own = traces.find((trace) => trace.conditions);
  if (own && (hasLosses || transport.kind === 'flat'))
    throw new UserError(`${own.name} has delays and losses of its own: not with --loss, nor with --transport flat`);
  return {
    ...options,
    traces: conditions === undefined ? traces : underRecord(traces, readConditions(conditions, options.seed)),
  };
}
