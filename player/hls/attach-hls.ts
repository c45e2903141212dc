import { checkPlayer } from '../plugin/checks.js';
import { resolveOptions } from '../plugin/options.js';
import { Plugin } from '../plugin/plugin.js';
import type { LiveHandle, VoxelHandle } from '../api/types.js';
import { openHlsPlayer } from './hls-adapter.js';
import { isReplaceable } from './hls-buffer.js';
import { events, type HlsPlayer } from './hls-types.js';
import type { VoxelHlsOptions } from './options.js';

/**
 * Makes an hls.js player load VOXEL video over WebTransport. Call it before `hls.loadSource()`. Playlists and segments without VOXEL
 * data play as before, and so does everything when no VOXEL server answers.
 *
 * Throws `AbrError`, `PlayerError` or `RangeError` for a bad option and `PlayerError` for a player that cannot be attached to; nothing
 * throws later on.
 */
export function attachVoxelHls(hls: HlsPlayer, options: VoxelHlsOptions = {}): LiveHandle {
  checkPlayer(hls, 'hlsjs');
  const resolved = resolveOptions(options, 'hlsjs');
  const { preferences } = resolved;
  // Where what is in the buffer stays as it is, nothing is fetched again for it.
  const strategy = isReplaceable(hls) ? preferences.strategy : { ...preferences.strategy, retransmission: false };
  const plugin = new Plugin(openHlsPlayer(hls), options, { ...resolved, preferences: { ...preferences, strategy } });
  hls.on(events.destroying, () => plugin.detach());
  return plugin as VoxelHandle as LiveHandle;
}
