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
 * prefixes of a representation that score below the untouched next lower one without being cheaper. `options` must ascend
 * in bytes within each representation, as prefixes of one segment do.
 */
export function withoutDominated(options: readonly Option[]): Option[] {
  const kept: Option[] = [];
  for (let start = 0; start < options.length;) {
    let end = start + 1;
    while (end < options.length && options[end]!.representation === options[start]!.representation) end++;
    mergeInto(kept, options, start, end);
    start = end;
  }
  return kept;
}

/** Of `kept`, which ascends in bytes and score, and `options[start … end)` leaves what is worth it in `kept`. */
function mergeInto(kept: Option[], options: readonly Option[], start: number, end: number): void {
  let overlap = kept.length;
  while (overlap > 0 && kept[overlap - 1]!.bytes >= options[start]!.bytes) overlap--;
  const dearer = kept.splice(overlap);
  let left = 0;
  let right = start;
  let last = kept[overlap - 1];
  while (left < dearer.length || right < end) {
    const isLeft = right === end || (left < dearer.length && dearer[left]!.bytes <= options[right]!.bytes);
    const option = isLeft ? dearer[left++]! : options[right++]!;
    if (last && option.score <= last.score) continue;
    if (last?.bytes === option.bytes) kept.pop();
    kept.push(option);
    last = option;
  }
}
