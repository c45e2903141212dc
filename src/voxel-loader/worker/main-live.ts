import { liveAbilities } from './live/abilities.js';
import { loadPaths } from './parts/load-paths.js';
import { loadRemoval } from './parts/load-removal.js';
import { startHost } from './start-host.js';

/** The program of the worker of `voxel-dash/live`, with several paths and live streams. */
startHost({ ...liveAbilities, open: loadPaths, repair: loadRemoval });
