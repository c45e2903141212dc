import type { FullVoxelOptions } from '../../../player/full.js';
import type { Delivery } from '../../../player/types.js';
import type { SystemDelivery } from '../system.js';
import type { PageSettings } from './types.js';

const DELIVERIES: Readonly<Record<Exclude<SystemDelivery, 'datagrams'>, Delivery>> = {
  streams: 'streams',
  http3: 'http',
  http1: 'http',
};

/** The plugin's options for a system of ours. */
export function voxelOptions({ player, delivery, bufferSegments }: PageSettings): FullVoxelOptions {
  if (player.kind !== 'voxel') throw new TypeError('stock dash.js has no plugin');
  const { rule, strategy, bandwidthSafety } = player;
  return {
    abr: rule,
    strategy,
    // Left to the rule, which may ask for streams.
    ...(delivery !== 'datagrams' && { delivery: DELIVERIES[delivery] }),
    bufferSegments,
    ...(bandwidthSafety !== undefined && { bandwidthSafety }),
  };
}
