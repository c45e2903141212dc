import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../../tools/setup/process.mjs';
import { contentOf, runTask, type Experiment, type Task } from './experiment.js';
import { rulesOf } from './own/rules-of.js';
import type { Answer } from './pool.js';

const experiment = workerData as Experiment;
const content = contentOf(experiment);
const rule = await rulesOf(experiment, content);

parentPort!.on('message', (task: Task) => parentPort!.postMessage(answerTo(task)));

/** Errors lose their class on the way to the thread that asked. */
function answerTo(task: Task): Answer {
  try {
    return { sessions: runTask(experiment, content, task, rule) };
  } catch (error) {
    if (error instanceof UserError) return { problem: error.message };
    throw error;
  }
}
