import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { say, UserError } from '../../tools/setup/process.mjs';
import { contentOf, PAPER_PATH, tasksOf, type Experiment, type SessionResult, type Task } from '../sim/experiment.js';
import { allSessions, tasksLeft } from '../sim/kept-sessions.js';
import type { Trace } from '../sim/link/trace.js';
import { rulesOf } from '../sim/own/rules-of.js';
import { runExperiment } from '../sim/pool.js';
import { progressLine } from '../sim/report/progress-line.js';
import { makeFolder, writeSummary } from '../sim/report/write-results.js';
import { shareOf } from '../sim/shard.js';
import { linksOf, PUBLISHED } from './links.js';
import { parseOptions, USAGE, type CompareOptions } from './options.js';
import { runOf, SessionsFile } from './sessions-file.js';

/** What a terminal has room for of summary.csv, and of its differences. */
const SHOWN = 'buffer,abr,score,scoreP10,bitrate,switches,startup,waited,waitedP90,picturesPerSecond,felt'.split(',');
const COMPARED = ['score', 'waited', 'waitedWorst', 'felt'];

const SEED = 1;

/** `voxel-lab compare`. Resolves to the exit code. */
export async function compare(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  const taken: string[] = [];
  const experiment = experimentOf(
    options,
    linksOf(options.traces, (line) => taken.push(line)),
  );
  for (const line of taken) say(line);
  const file = new SessionsFile(options.out, runOf(experiment, options.files));
  const tasks = shareOf(tasksOf(experiment), options.shard);
  const results =
    options.mode === 'report' ? playedBefore(file, experiment, tasks) : await play(file, experiment, tasks, options);
  file.replace(results);
  const facts = [...factsOf(options, experiment), ...taken];
  const input = { results, baseline: options.others[0]!, facts, kindOf };
  process.stdout.write(writeSummary(options.out, input, { keys: SHOWN, compared: COMPARED }));
  say(`see ${options.out}/report.html`);
  say('simulated: in browsers, over emulated links, rules are compared from a checkout (docs/tutorials/trial.md)');
  return 0;
}

/** Throws a `UserError`. */
function experimentOf(options: CompareOptions, traces: readonly Trace[]): Experiment {
  const names = traces.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new UserError(`--traces: two links are called ${twice}`);
  const { shifts, buffers, segments, others, files } = options;
  const own = Object.entries(files).map(([name, path]) => [name, pathToFileURL(resolve(path)).href] as const);
  return {
    ...{ traces, shifts, buffers, segments, seed: SEED, content: 'synthetic', transport: PAPER_PATH },
    rules: [...Object.keys(files), ...others],
    own: Object.fromEntries(own),
  };
}

function playedBefore(file: SessionsFile, experiment: Experiment, tasks: readonly Task[]): SessionResult[] {
  if (!file.exists) throw new UserError(`${file.path}: no such file`);
  return allSessions(file.read(), experiment, tasks, file.path);
}

/** That of a generated link; a recorded one is its own. */
function kindOf(trace: string): string {
  return PUBLISHED.find((kind) => trace.startsWith(`${kind}-`)) ?? trace;
}

/** Plays what is not there yet; what has been played is kept at once. */
async function play(
  file: SessionsFile,
  experiment: Experiment,
  tasks: readonly Task[],
  { mode, out, jobs }: CompareOptions,
): Promise<SessionResult[]> {
  if (file.exists && mode === 'new')
    throw new UserError(`${file.path} is there already: --resume goes on with it, --replace begins anew`);
  // What is wrong with a rule is said before anything is written.
  await rulesOf(experiment, contentOf(experiment));
  makeFolder(out);
  const kept = mode === 'replace' ? [] : file.read();
  // Without the half of a line that an interruption leaves.
  file.replace(kept);
  const left = tasksLeft(kept, experiment, tasks);
  const onSessions = (sessions: readonly SessionResult[]) => file.add(sessions);
  const played = await runExperiment(experiment, {
    ...{ tasks: left, jobs, onSessions, onProgress: progressLine('links and starts') },
  });
  return allSessions([...kept, ...played], experiment, tasks, file.path);
}

function factsOf(
  { traces: sources, files }: CompareOptions,
  { traces, shifts, segments, rules }: Experiment,
): string[] {
  return [
    `rules: ${rules.join(', ')}; ${Object.entries(files)
      .map(([name, path]) => `${name} is ${path}`)
      .join(', ')}`,
    `links: ${sources.join(', ')} (${traces.length}), ${shifts} start(s) each`,
    `content: synthetic, ${segments} segments of four seconds`,
    `path: ${JSON.stringify(PAPER_PATH)}`,
  ];
}
