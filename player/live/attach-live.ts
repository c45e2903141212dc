import { createEndpoint, discoverEndpoint } from '../../src/voxel-loader/index.js';
import { createPaths, parsePaths } from '../../src/voxel-loader/paths.js';
import { attachWith } from '../attach.js';
import type { DashPlayer } from '../dash/dash-types.js';
import { PathFollower } from '../network/path-follower.js';
import { createSessionSource, type SessionSource } from '../network/session-manager.js';
import type { Additions } from '../plugin.js';
import type { Delivery, EndpointOption, VoxelEventMap, VoxelHandle, VoxelOptions, VoxelStatistics } from '../types.js';
import {
  LivePlugin,
  type ChunkEvent,
  type LiveAdditions,
  type LiveEventMap,
  type LiveStatistics,
} from './live-plugin.js';

/** One address of the service. */
export interface PathOption extends EndpointOption {
  /** Above 0: metered, used where playback would stall otherwise. Default 0. */
  readonly cost?: number;
}

export interface LiveOptions extends VoxelOptions {
  /** Several addresses of the service, all of which are used: each has a session. Default: what `voxel.json` says (docs/DELIVERY.md). */
  readonly paths?: readonly PathOption[];
}

export interface LivePluginEventMap extends VoxelEventMap {
  chunk: ChunkEvent;
}

export interface LivePluginStatistics extends VoxelStatistics {
  /** Undefined: what plays is not live with records. */
  readonly live: LiveStatistics | undefined;
}

/** A `VoxelHandle` with what live streams add to it. */
export interface LiveHandle extends VoxelHandle {
  on<Type extends keyof LivePluginEventMap>(
    type: Type,
    listener: (event: LivePluginEventMap[Type]) => void,
  ): () => void;
  statistics(): LivePluginStatistics;
}

/** `attachVoxel` of the plain build with live streams and over several paths where there are some. */
export function attachVoxel(player: DashPlayer, options: LiveOptions = {}): LiveHandle {
  return attachLive(player, options, {});
}

/** What a build may add to both, on demand and live. */
export function attachLive(player: DashPlayer, options: LiveOptions, additions: Additions & LiveAdditions): LiveHandle {
  const handle = attachWith(player, options, {
    source: (receiver, endpoint) => ({ ...createSessionSource(receiver, endpoint), locate: locateWith(options) }),
    follow: (...of) => new PathFollower(...of),
    ...additions,
    // Live streams have a session of their own.
    opensEarly: () => !live.isLive,
  });
  const live = new LivePlugin(player, options, additions);
  return withLive(handle, live, options.delivery ?? 'datagrams');
}

function withLive(handle: VoxelHandle, live: LivePlugin, delivery: Delivery): LiveHandle {
  return {
    on: (type, listener) => {
      const stop = [
        handle.on(type as keyof VoxelEventMap, listener as (event: unknown) => void),
        live.events.on(type as keyof LiveEventMap, listener as (event: unknown) => void),
      ];
      return () => stop.forEach((one) => one());
    },
    statistics: () => {
      const statistics = handle.statistics();
      if (!live.isLive) return { ...statistics, live: undefined };
      const { fallbacks, errors } = live.statistics;
      return {
        ...statistics,
        delivery: live.isOpen ? delivery : 'http',
        fallbacks: statistics.fallbacks + fallbacks,
        errors: [...statistics.errors, ...errors],
        throughput: live.statistics.rate,
        live: live.statistics,
      };
    },
    detach: () => {
      live.detach();
      handle.detach();
    },
  };
}

/** Finds the service at every address that it has. */
export function locateWith({ paths, endpoint }: LiveOptions): SessionSource['locate'] {
  return async (origin, signal) => {
    if (paths) return createPaths(paths);
    if (endpoint) return createEndpoint(endpoint.url, endpoint.certificateHashes);
    return discoverEndpoint(origin, signal, parsePaths);
  };
}
