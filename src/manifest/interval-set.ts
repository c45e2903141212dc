import type { ByteRange } from './byte-range.js';
import { search } from './search.js';

/** How many intervals an insertion has to move at most. */
const BLOCK_SIZE = 512;

/** Some of the intervals, one after the other. */
interface Block {
  readonly starts: number[];
  readonly ends: number[];
}

/**
 * A set of non-negative integers kept as sorted, disjoint, non-adjacent half-open intervals `[start, end)`, in blocks: whatever
 * order they come in, n of them take little more than n log n.
 */
export class IntervalSet {
  /** None is empty. */
  readonly #blocks: Block[] = [];
  /** How many integers are in the set. */
  size = 0;

  constructor(intervals: Iterable<ByteRange> = []) {
    for (const { start, end } of intervals) this.add(start, end);
  }

  /** Adds `[start, end)` and returns how many of its integers were new. Throws `RangeError` unless 0 ≤ start ≤ end. */
  add(start: number, end: number): number {
    if (!(start >= 0 && start <= end)) throw new RangeError(`not an interval: ${start}-${end}`);
    if (start === end) return 0;
    const place = Math.max(0, Math.min(this.#blockAt(start), this.#blocks.length - 1));
    const block = (this.#blocks[place] ??= { starts: [], ends: [] });
    const index = firstAtOrAfter(block.ends, start);
    const merged = { start, end };
    let covered = takeOut(block, index, merged);
    for (let next = this.#blocks[place + 1]; next && next.starts[0]! <= end; next = this.#blocks[place + 1]) {
      covered += takeOut(next, 0, merged);
      if (next.starts.length > 0) break;
      this.#blocks.splice(place + 1, 1);
    }
    block.starts.splice(index, 0, merged.start);
    block.ends.splice(index, 0, merged.end);
    if (block.starts.length > BLOCK_SIZE) {
      const half = BLOCK_SIZE / 2;
      this.#blocks.splice(place + 1, 0, { starts: block.starts.splice(half), ends: block.ends.splice(half) });
    }
    const added = merged.end - merged.start - covered;
    this.size += added;
    return added;
  }

  /** True when all of `[start, end)` is in the set; an empty interval always is. */
  contains(start: number, end: number): boolean {
    if (start >= end) return true;
    const block = this.#blocks[this.#blockAt(start + 1)];
    if (!block) return false;
    const index = firstAtOrAfter(block.ends, start + 1);
    return block.starts[index]! <= start && end <= block.ends[index]!;
  }

  /** The parts of `[start, end)` that are not in the set, ascending. */
  gaps(start: number, end: number): { start: number; end: number }[] {
    const gaps: { start: number; end: number }[] = [];
    let at = start;
    for (const interval of this.#from(start + 1)) {
      if (interval.start >= end) break;
      if (interval.start > at) gaps.push({ start: at, end: interval.start });
      at = interval.end;
    }
    if (at < end) gaps.push({ start: at, end });
    return gaps;
  }

  /** The intervals, ascending. */
  [Symbol.iterator](): Iterator<{ start: number; end: number }> {
    return this.#from(0);
  }

  /** Those that end at or after `position`. */
  *#from(position: number): Generator<{ start: number; end: number }> {
    for (let place = this.#blockAt(position); place < this.#blocks.length; place++) {
      const { starts, ends } = this.#blocks[place]!;
      for (let index = firstAtOrAfter(ends, position); index < starts.length; index++) {
        yield { start: starts[index]!, end: ends[index]! };
      }
    }
  }

  /** Index of the first block that ends at or after `position`. */
  #blockAt(position: number): number {
    return search(this.#blocks.length, (index) => this.#blocks[index]!.ends.at(-1)! >= position);
  }
}

/** Takes out of the block, from `index` on, what touches `merged`, which grows by it; returns how many integers that were. */
function takeOut({ starts, ends }: Block, index: number, merged: { start: number; end: number }): number {
  let last = index;
  let covered = 0;
  while (last < starts.length && starts[last]! <= merged.end) {
    merged.start = Math.min(merged.start, starts[last]!);
    merged.end = Math.max(merged.end, ends[last]!);
    covered += ends[last]! - starts[last]!;
    last++;
  }
  starts.splice(index, last - index);
  ends.splice(index, last - index);
  return covered;
}

/** Index of the first of these ascending numbers that is ≥ `position`. */
function firstAtOrAfter(numbers: readonly number[], position: number): number {
  return search(numbers.length, (index) => numbers[index]! >= position);
}
