import { openDashPlayer, type OpenLive } from './dash/dash-adapter.js';
import type { DashPlayer } from './dash/dash-types.js';
import { resolveOptions } from './plugin/options.js';
import { Plugin, type Additions } from './plugin/plugin.js';
import type { VoxelHandle, VoxelOptions } from './api/types.js';

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

/** What builds for dash.js add. `live`: plays live streams. */
export interface DashAdditions extends Additions {
  readonly live?: OpenLive;
}

export function attachWith(player: DashPlayer, options: VoxelOptions, additions: DashAdditions): Plugin {
  return new Plugin(openDashPlayer(player, additions.live), options, resolveOptions(options), additions);
}
