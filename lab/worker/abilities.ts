import type { Abilities } from '../../src/voxel-loader/worker/host.js';
import { liveAbilities } from '../../src/voxel-loader/worker/live/abilities.js';
import { openLabPaths } from '../strategies/open-lab-paths.js';

/** Abilities of the worker of `voxel-dash/lab`: those for live streams, with every schedule. */
export const labAbilities: Abilities = { ...liveAbilities, open: openLabPaths };
