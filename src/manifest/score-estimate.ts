import type { ByteRange } from './byte-range.js';
import type { SegmentMap } from './segment-map.js';

/** Estimated score of a segment as delivered. `isComplete` says whether every byte of a range of `map.unreliable` is here. */
export function estimateScore(_map: SegmentMap, _isComplete: (range: ByteRange) => boolean): number {
  throw new Error('being written');
}
