import { createRepairer } from '../../src/repair/index.js';
import type { Abilities } from '../../src/voxel-loader/worker/host.js';
import { liveAbilities } from '../../src/voxel-loader/worker/live/abilities.js';
import { openLabPaths } from '../strategies/open-lab-paths.js';

/** Abilities of the worker of `voxel-dash/lab`: those for live streams, with every schedule, and all that other workers load. */
export const labAbilities: Abilities = { ...liveAbilities, open: openLabPaths, repair: { create: createRepairer } };
