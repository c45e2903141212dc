import { createEndpoint, discoverEndpoint, type Ask } from '../../src/voxel-loader/index.js';
import { createPaths, parsePaths } from '../../src/voxel-loader/paths.js';
import { attachWith } from '../attach.js';
import type { DashPlayer } from '../dash/dash-types.js';
import { LiveAdapter, type LiveAdapterOptions } from '../dash/live/live-adapter.js';
import { PathFollower } from '../network/path-follower.js';
import { createSessionSource, type SessionSource } from '../network/session-manager.js';
import type { Additions } from '../plugin/plugin.js';
import type { EndpointOption, LiveHandle, VoxelOptions } from '../api/types.js';

/** One address of the service. */
export interface PathOption extends EndpointOption {
  /** Above 0: metered, used where playback would stall otherwise. Default 0. */
  readonly cost?: number;
}

export interface LiveOptions extends VoxelOptions {
  /** Several addresses of the service, all of which are used: each has a session. Default: what `voxel.json` says (docs/DELIVERY.md). */
  readonly paths?: readonly PathOption[];
}

/** `attachVoxel` of the plain build with live streams and over several paths where there are some. */
export function attachVoxel(player: DashPlayer, options: LiveOptions = {}): LiveHandle {
  return attachLive(player, options, {});
}

/** What a build may add. */
export type LiveAdditions = Additions & Pick<LiveAdapterOptions, 'isGroup'>;

/** `attachVoxel` with what another build adds. */
export function attachLive(
  player: DashPlayer,
  options: LiveOptions,
  { isGroup, ...additions }: LiveAdditions,
): LiveHandle {
  const { delivery = 'datagrams' } = options;
  const plugin = attachWith(player, options, {
    source: (receiver, endpoint, ask) => ({
      ...createSessionSource(receiver, endpoint, ask),
      locate: locateWith(options, ask),
    }),
    follow: (...of) => new PathFollower(...of),
    live: (...of) => new LiveAdapter(...of, { delivery, isGroup }),
    options: ['paths'] satisfies (keyof LiveOptions)[],
    ...additions,
  });
  return {
    on: (type, listener) => plugin.on(type, listener),
    statistics: () => ({ live: undefined, ...plugin.statistics() }),
    summary: () => plugin.summary(),
    detach: () => plugin.detach(),
  };
}

/** Finds the service at every address that it has. */
export function locateWith({ paths, endpoint }: LiveOptions, ask: Ask): SessionSource['locate'] {
  return async (origin, signal) => {
    if (paths) return createPaths(paths);
    if (endpoint) return createEndpoint(endpoint.url, endpoint.certificateHashes);
    return discoverEndpoint(origin, signal, parsePaths, ask);
  };
}
