import { startHost } from '../../src/voxel-loader/worker/start-host.js';
import { labAbilities } from './abilities.js';

/** The program of the worker of `voxel-dash/lab`. */
startHost(labAbilities);
