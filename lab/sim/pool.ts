import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { UserError } from '../../tools/setup/process.mjs';
import { contentOf, runTask, tasksOf, type Experiment, type SessionResult, type Task } from './experiment.js';
import { rulesOf } from './own/rules-of.js';

/** Below this many sessions threads cost more time than they save. */
const SESSIONS_WORTH_A_THREAD = 200;

export interface RunOptions {
  /** Threads; one for each core unless told. */
  readonly jobs?: number | undefined;
  /** What of the experiment is played; default: all of its tasks. */
  readonly tasks?: readonly Task[];
  /** After each task: how many of how many are done. */
  readonly onProgress?: (done: number, total: number) => void;
  /** The sessions of each task, as soon as they have been played: in no order. */
  readonly onSessions?: (sessions: readonly SessionResult[]) => void;
}

/** What a thread answers: the sessions of a task, or what a rule's author is to read. */
export type Answer = { readonly sessions: SessionResult[] } | { readonly problem: string };

/** Plays every session of an experiment. The results come in the order of its tasks, however many threads there are. */
export async function runExperiment(experiment: Experiment, options: RunOptions = {}): Promise<SessionResult[]> {
  const tasks = options.tasks ?? tasksOf(experiment);
  const sessions = tasks.length * experiment.rules.length * experiment.buffers.length;
  const jobs = Math.min(
    options.jobs ?? availableParallelism(),
    tasks.length,
    Math.ceil(sessions / SESSIONS_WORTH_A_THREAD),
  );
  // Before any thread starts: what is wrong with the content is the user's to read.
  const content = contentOf(experiment);
  const rule = await rulesOf(experiment, content);
  if (jobs > 1) return runInThreads(experiment, tasks, jobs, options);
  return tasks.flatMap((task, index) => {
    const results = runTask(experiment, content, task, rule);
    options.onSessions?.(results);
    options.onProgress?.(index + 1, tasks.length);
    return results;
  });
}

async function runInThreads(
  experiment: Experiment,
  tasks: readonly Task[],
  jobs: number,
  { onProgress, onSessions }: RunOptions,
): Promise<SessionResult[]> {
  const results: SessionResult[][] = [];
  let next = 0;
  let done = 0;
  const work = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData: experiment });
      let index = -1;
      const proceed = () => {
        index = next++;
        if (index < tasks.length) worker.postMessage(tasks[index]);
        else void worker.terminate().then(() => resolve());
      };
      const fail = (error: unknown) => {
        next = tasks.length;
        reject(error instanceof Error ? error : new Error(String(error)));
      };
      worker.on('message', (answer: Answer) => {
        if ('problem' in answer) {
          void worker.terminate();
          fail(new UserError(answer.problem, 1));
          return;
        }
        results[index] = answer.sessions;
        onSessions?.(answer.sessions);
        onProgress?.(++done, tasks.length);
        proceed();
      });
      worker.on('error', fail);
      proceed();
    });
  await Promise.all(Array.from({ length: jobs }, work));
  return results.flat();
}
