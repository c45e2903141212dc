import { totalBytes, type ByteRange } from '../manifest/byte-range.js';
import type { SegmentMap } from '../manifest/segment-map.js';
import type { SegmentDownload, VoxelSession } from './types.js';

/**
 * Fetches ranges of a segment reliably, in their order. `keep` ends it at any time with what has arrived; after a failure
 * on the way, too, `result` has what had arrived before.
 */
export function downloadRanges(
  session: VoxelSession,
  { target, map, ranges }: { readonly target: string; readonly map: SegmentMap; readonly ranges: readonly ByteRange[] },
): SegmentDownload {
  return session.download({
    target,
    map: { ...map, reliable: [], reliableBytes: 0, unreliable: ranges },
    unreliableBytes: totalBytes(ranges),
    delivery: 'streams',
    headers: {},
  });
}
