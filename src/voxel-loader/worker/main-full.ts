import type { LiveWorkerMessage } from '../live-messages.js';
import { LiveHost } from './live/live-host.js';
import { openPaths } from './paths/open-paths.js';
import { startHost } from './start-host.js';

/** The program of the worker of `voxel-dash/full`, with several paths and live streams. */
startHost<LiveWorkerMessage>((options) => new LiveHost({ ...options, open: openPaths }));
