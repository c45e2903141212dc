import { loadFollowing } from './parts/load-following.js';
import { loadRemoval } from './parts/load-removal.js';
import { startHost } from './start-host.js';

/** The program of the worker of `voxel-dash/hls`, which loads what follows live streams with the first of them. */
startHost({ repair: loadRemoval, following: loadFollowing });
