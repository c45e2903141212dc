import { createAbr, type AbrName as NamedRule } from '../src/abr-star/index.js';
import { strategyOf, type StrategyName } from '../src/delivery/strategies.js';
import { SCHEDULES } from '../src/delivery/schedules.js';
import { createEndpoint, discoverEndpoint } from '../src/voxel-loader/index.js';
import { createPaths, parsePaths } from '../src/voxel-loader/paths.js';
import { openPaths } from '../src/voxel-loader/worker/paths/open-paths.js';
import { runOnPage } from '../src/voxel-loader/worker/run-on-page.js';
import { attachWith } from './attach.js';
import type { DashPlayer } from './dash/dash-types.js';
import { PathFollower } from './path-follower.js';
import type { SessionSource } from './session-manager.js';
import type { AbrName, EndpointOption, VoxelHandle, VoxelOptions } from './types.js';

export * from './index.js';

/** Every rule of the plugin, the published rivals of `abr-star` among them (docs/ABR.md), or `dashjs`. */
export type RuleName = NamedRule | AbrName;

/** One address of the service. */
export interface PathOption extends EndpointOption {
  /** Above 0: metered, used where playback would stall otherwise. Default 0. */
  readonly cost?: number;
}

export interface FullVoxelOptions extends Omit<VoxelOptions, 'abr' | 'strategy'> {
  /** Default `abr-star`. */
  readonly abr?: RuleName | VoxelOptions['abr'];
  /** Default `voxel`. */
  readonly strategy?: StrategyName | VoxelOptions['strategy'];
  /** Several addresses of the service, all of which are used: each has a session. Default: what `voxel.json` says (docs/DELIVERY.md). */
  readonly paths?: readonly PathOption[];
}

/**
 * As `attachVoxel` of the plain build, with every rule and strategy by its name, over several paths where there are some, and with
 * sessions on the page's own thread where the page's content security policy forbids workers from Blob URLs.
 */
export function attachVoxel(player: DashPlayer, options: FullVoxelOptions = {}): VoxelHandle {
  const { abr: rule, strategy: name } = options;
  const abr = typeof rule !== 'string' || rule === 'dashjs' ? rule : createAbr(rule, options);
  const strategy = typeof name === 'string' ? strategyOf(name) : name;
  return attachWith(
    player,
    { ...options, abr, strategy },
    {
      withoutWorker: () => runOnPage(openPaths),
      locate: locateWith(options, strategy?.schedule),
      follow: (...of) => new PathFollower(...of),
    },
  );
}

/** Throws `RangeError` for a schedule that is none. */
function locateWith({ paths, endpoint }: FullVoxelOptions, schedule: string | undefined): SessionSource['locate'] {
  if (schedule !== undefined && !Object.hasOwn(SCHEDULES, schedule))
    throw new RangeError(
      `the strategy's schedule must be one of ${Object.keys(SCHEDULES).join(', ')}, got ${schedule}`,
    );
  return async (origin, signal) => {
    if (paths) return { ...createPaths(paths), schedule };
    if (endpoint) return createEndpoint(endpoint.url, endpoint.certificateHashes);
    return { ...(await discoverEndpoint(origin, signal, parsePaths)), schedule };
  };
}
