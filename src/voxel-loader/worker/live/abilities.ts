import type { Abilities } from '../host.js';
import { openPaths } from '../paths/open-paths.js';
import { Followings } from './followings.js';

/** Abilities of the worker of `voxel-dash/live`: several paths, and live streams. */
export const liveAbilities: Abilities = { open: openPaths, following: (host) => new Followings(host) };
