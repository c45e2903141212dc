import type { Abr } from '../../../src/abr-star/index.js';
import { createAbr } from '../../rivals/registry.js';
import type { FullVoxelOptions } from '../../../lab/index.js';
import { OverWholeSegments } from '../../sim/over-whole-segments.js';
import type { PageSettings } from './types.js';

/** The plugin's options for a system of ours. */
export function voxelOptions({ player, delivery, bufferSegments, endpoint, paths }: PageSettings): FullVoxelOptions {
  // Its rule is the plugin's own.
  if (player.kind === 'live')
    return { ...(delivery === 'streams' && { delivery }), ...(player.strategy && { strategy: player.strategy }) };
  if (player.kind !== 'voxel') throw new TypeError('stock dash.js has no plugin');
  const { rule, strategy, bandwidthSafety, segments } = player;
  const safety = bandwidthSafety === undefined ? {} : { bandwidthSafety };
  const abr = createAbr(rule, safety);
  const isMoved = delivery === 'datagrams' && abr.delivery !== undefined;
  return {
    abr: segments === 'whole' ? new OverWholeSegments(abr) : isMoved ? overDatagrams(abr) : rule,
    strategy,
    // Left to the rule, which may ask for streams for single segments.
    ...(delivery === 'streams' && { delivery }),
    bufferSegments,
    ...(endpoint && { endpoint }),
    ...(paths && { paths }),
    ...safety,
  };
}

/** Whole segments as datagrams, although the rule is published for streams: "QUIC*" (thesis §6.5), ClipStream, Hollywood. */
function overDatagrams(abr: Abr): Abr {
  return {
    name: abr.name,
    choose: (state) => abr.choose(state),
    ...(abr.firstRate !== undefined && { firstRate: abr.firstRate }),
    reset: () => abr.reset(),
    ...(abr.review && { review: (progress) => abr.review!(progress) }),
  };
}
