import type { Abilities } from './host.js';
import { Followings } from './live/followings.js';
import { openPaths } from './paths/open-paths.js';

/** What the program of `voxel-dash/full` can do: several paths, and live streams. */
export const full: Abilities = { open: openPaths, following: (host) => new Followings(host) };
