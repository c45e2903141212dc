import { openDashPlayer, type OpenLive } from './dash/dash-adapter.js';
import type { DashPlayer } from './dash/dash-types.js';
import { checkPlayer } from './plugin/checks.js';
import { resolveOptions } from './plugin/options.js';
import { Plugin, type Additions } from './plugin/plugin.js';
import type { VoxelHandle, VoxelOptions } from './api/types.js';

/**
 * Makes a dash.js player load VOXEL video over WebTransport. Call it before `player.initialize()`. Presentations and
 * segments without VOXEL data play as before, and so does everything when no VOXEL server answers.
 *
 * Throws `AbrError`, `PlayerError` or `RangeError` for a bad option and `PlayerError` for a player that cannot be attached to;
 * nothing throws later on.
 */
export function attachVoxel(player: DashPlayer, options: VoxelOptions = {}): VoxelHandle {
  return attachWith(player, options, {});
}

/** What builds for dash.js add. `live`: plays live streams. */
export interface DashAdditions extends Additions {
  readonly live?: OpenLive;
  /** Names of its own options. */
  readonly options?: readonly string[];
}

export function attachWith(player: DashPlayer, options: VoxelOptions, additions: DashAdditions): Plugin {
  checkPlayer(player, 'dashjs');
  const resolved = resolveOptions(options, 'dashjs', additions.options);
  return new Plugin(openDashPlayer(player, additions.live), options, resolved, additions);
}
