import { openDashPlayer } from './dash/dash-adapter.js';
import type { DashPlayer } from './dash/dash-types.js';
import { resolveOptions } from './options.js';
import { Plugin, type Additions } from './plugin.js';
import type { VoxelHandle, VoxelOptions } from './types.js';

/**
 * Makes a dash.js player load VOXEL video over WebTransport. Call it before `player.initialize()`. Presentations and
 * segments without VOXEL data play as before, and so does everything when no VOXEL server answers.
 *
 * Throws `AbrError` or `RangeError` for a bad option and `PlayerError` for a player that cannot be attached to; nothing
 * throws later on.
 */
export function attachVoxel(player: DashPlayer, options: VoxelOptions = {}): VoxelHandle {
  return attachWith(player, options, {});
}

export function attachWith(player: DashPlayer, options: VoxelOptions, additions: Additions): VoxelHandle {
  return new Plugin(openDashPlayer(player), options, resolveOptions(options), additions);
}
