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

/** The whole segment in `representation`, or in the nearest one below it (else above) that has options. */
export function wholeSegment(options: readonly Option[], representation: number): Option {
  const lowest = options[0]!.representation;
  return options.findLast((option) => option.representation <= Math.max(representation, lowest))!;
}

/**
 * The options worth choosing among: each costs more bytes than the one before it and scores higher. With it go the
 * prefixes of a representation that score below the untouched next lower one without being cheaper. `options` must ascend
 * in bytes within each representation, as prefixes of one segment do.
 */
export function withoutDominated(options: readonly Option[]): Option[] {
  let kept: Option[] = [];
  for (let start = 0; start < options.length;) {
    const { representation } = options[start]!;
    let end = start + 1;
    while (end < options.length && options[end]!.representation === representation) end++;
    kept = merged(kept, options.slice(start, end));
    start = end;
  }
  return kept;
}

/** What is worth it of `kept`, which ascends in bytes and score, and of `options`: of one representation, at least one, ascending in bytes. */
export function merged(kept: readonly Option[], options: readonly Option[]): Option[] {
  // Options lie apart in memory, and reading them is what takes time here: each is looked at once.
  let rightBytes = options[0]!.bytes;
  let left = kept.length;
  while (left > 0 && kept[left - 1]!.bytes >= rightBytes) left--;
  const all = kept.slice(0, left);
  let length = left;
  let lastBytes = left > 0 ? kept[left - 1]!.bytes : -Infinity;
  let lastScore = left > 0 ? kept[left - 1]!.score : -Infinity;
  let leftBytes = left < kept.length ? kept[left]!.bytes : Infinity;
  let right = 0;
  while (left < kept.length || right < options.length) {
    const isLeft = leftBytes <= rightBytes;
    const option = isLeft ? kept[left++]! : options[right++]!;
    const bytes = isLeft ? leftBytes : rightBytes;
    if (isLeft) leftBytes = left < kept.length ? kept[left]!.bytes : Infinity;
    else rightBytes = right < options.length ? options[right]!.bytes : Infinity;
    const { score } = option;
    if (score <= lastScore) continue;
    if (bytes === lastBytes) length--;
    all[length++] = option;
    lastBytes = bytes;
    lastScore = score;
  }
  return all;
}
