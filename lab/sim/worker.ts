import { parentPort, workerData } from 'node:worker_threads';
import { contentOf, runTask, type Experiment, type Task } from './experiment.js';

const experiment = workerData as Experiment;
const content = contentOf(experiment);

parentPort!.on('message', (task: Task) => parentPort!.postMessage(runTask(experiment, content, task)));
