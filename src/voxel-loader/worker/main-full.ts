import { openPaths } from './paths/open-paths.js';
import { startHost } from './start-host.js';

/** The program of the worker of `voxel-dash/full`, with several paths. */
startHost(openPaths);
