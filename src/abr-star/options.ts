import type { SegmentMap } from '../manifest/segment-map.js';
import type { Option } from './types.js';

/** How many segments' options a rule is told, the next one's included (`DecisionState.upcoming`). */
export const LOOKAHEAD = 8;

/**
 * Every way to download one segment, sorted by representation, then level. `segments[r]` is the segment's map in
 * representation `r` of the ladder; a representation without a map has no options.
 */
export function segmentOptions(segments: readonly (SegmentMap | undefined)[]): Option[] {
  return segments.flatMap((segment, representation) =>
    (segment?.steps ?? []).map((step, level) => ({
      representation,
      level,
      score: step.score,
      bytes: segment!.reliableBytes + step.bytes,
      reliableBytes: segment!.reliableBytes,
    })),
  );
}

/**
 * The options worth choosing among: each costs more bytes than the one before it and scores higher. With it go the
 * prefixes of a representation that score below the untouched next lower one without being cheaper.
 */
export function withoutDominated(options: readonly Option[]): Option[] {
  const byBytes = [...options].sort((a, b) => a.bytes - b.bytes || b.score - a.score);
  let best = -Infinity;
  return byBytes.filter((option) => {
    if (option.score <= best) return false;
    best = option.score;
    return true;
  });
}
