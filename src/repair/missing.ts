import type { ReceivedBytes } from './types.js';

/** Consecutive bytes of a segment: `[start, end)`, counted from the segment's first byte. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * What has arrived of a segment of `length` bytes when all but `missing` has; the ranges may be in any order and overlap.
 * Throws a `RangeError` for a range that does not lie inside the segment.
 */
export function allExcept(missing: readonly ByteRange[], length: number): ReceivedBytes {
  missing.forEach(({ start, end }, index) => {
    const isRange = Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= length;
    if (!isRange)
      throw new RangeError(`missing[${index}] must be a range inside [0, ${length}), got [${start}, ${end})`);
  });
  const gaps = joined(missing);
  return {
    contains(start, end) {
      // The first gap that ends after `start` is the only one that may begin before `end` and matter.
      let [low, high] = [0, gaps.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (gaps[middle]!.end <= start) low = middle + 1;
        else high = middle;
      }
      return start >= end || low === gaps.length || gaps[low]!.start >= end;
    },
  };
}

/** The same bytes as ascending ranges that neither overlap nor touch; empty ones are dropped. */
function joined(ranges: readonly ByteRange[]): ByteRange[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of [...ranges].sort((left, right) => left.start - right.start)) {
    const last = result.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else if (start < end) result.push({ start, end });
  }
  return result;
}
