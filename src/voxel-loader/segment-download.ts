import type { VoxelTransport } from './transport.js';
import type { SegmentDownload, SegmentRequest } from './types.js';

/** Downloads one segment. `now` gives milliseconds (default `performance.now`). */
export function downloadSegment(
  _transport: VoxelTransport,
  _request: SegmentRequest,
  _options: { readonly now?: () => number } = {},
): SegmentDownload {
  throw new Error('being written');
}
