import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say, UserError } from '../../tools/setup/process.mjs';
import { bundleMain } from './bundle/main.js';
import { tasksOf, type Experiment, type SessionResult, type Task } from './experiment.js';
import { flowsMain } from './flows/main.js';
import { parseOptions, USAGE, type SimulateOptions } from './options.js';
import { pageMain } from './page/main.js';
import { runExperiment } from './pool.js';
import { readJsonLines } from './report/json-lines.js';
import { progressLine } from './report/progress-line.js';
import { htmlReport } from './report/report.js';
import { summarise } from './report/summary.js';
import { comparisonTable, csvTable, textTable } from './report/text-table.js';
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
  prepareFolder(options.out);
  const started = Date.now();
  const tasks = shareOf(tasksOf(experiment), options.shard);
  const results = options.isReport
    ? playedBefore(join(options.out, 'sessions.jsonl'), experiment, tasks)
    : await runExperiment(experiment, { tasks, jobs: options.jobs, onProgress: progressLine('simulating') });
  const baseline = baselineOf(options.rules);
  const rows = summarise(results, baseline);
  const write = (name: string, text: string) => writeFileSync(join(options.out, name), text);
  write('sessions.jsonl', results.map((result) => `${JSON.stringify(result)}\n`).join(''));
  write('summary.csv', csvTable(rows));
  write('report.html', htmlReport({ results, baseline, facts: [...factsOf(options, experiment), ...taken] }));
  const compared = comparisonTable(rows);
  process.stdout.write(`${textTable(rows)}\n`);
  if (compared) process.stdout.write(`\nless ${baseline}, same trace and start, 95 % intervals:\n${compared}\n`);
  say(`${results.length} sessions in ${((Date.now() - started) / 1000).toFixed(1)} s: see ${options.out}/report.html`);
  return 0;
}

/** The sessions of tasks in their order, from a file that has them in any. Throws a `UserError` where some are missing. */
function playedBefore(path: string, { traces, rules, buffers }: Experiment, tasks: readonly Task[]): SessionResult[] {
  if (!existsSync(path)) throw new UserError(`${path}: no such file`);
  const keyOf = ({ trace, shift, abr, buffer }: SessionKey) => JSON.stringify([trace, shift, abr, buffer]);
  const kept = new Map(readJsonLines<SessionResult>(path, 'a session').map((result) => [keyOf(result), result]));
  const wanted = tasks.flatMap(({ trace, shift }) =>
    rules.flatMap((abr) => buffers.map((buffer) => keyOf({ trace: traces[trace]!.name, shift, abr, buffer }))),
  );
  const found = wanted.flatMap((key) => kept.get(key) ?? []);
  const missing = wanted.length - found.length;
  if (missing > 0) throw new UserError(`${path}: ${missing} of ${wanted.length} sessions are missing`);
  return found;
}

type SessionKey = Pick<SessionResult, 'trace' | 'shift' | 'abr' | 'buffer'>;

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

function prepareFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UserError(`cannot create ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
