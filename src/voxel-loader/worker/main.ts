import type { WorkerMessage } from '../messages.js';
import { Host } from './host.js';
import { startHost } from './start-host.js';

startHost<WorkerMessage>((options) => new Host(options));
