/** A set of non-negative integers kept as sorted, disjoint, non-adjacent half-open intervals `[start, end)`. */
export class IntervalSet {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #size = 0;

  /** How many integers are in the set. */
  get size(): number {
    return this.#size;
  }

  /** Adds `[start, end)` and returns how many of its integers were new. Throws `RangeError` unless 0 ≤ start ≤ end. */
  add(start: number, end: number): number {
    if (!(start >= 0 && start <= end)) throw new RangeError(`not an interval: ${start}-${end}`);
    if (start === end) return 0;
    const first = this.#firstEndingAtOrAfter(start);
    let last = first;
    let mergedStart = start;
    let mergedEnd = end;
    let covered = 0;
    while (last < this.#starts.length && this.#starts[last]! <= end) {
      mergedStart = Math.min(mergedStart, this.#starts[last]!);
      mergedEnd = Math.max(mergedEnd, this.#ends[last]!);
      covered += this.#ends[last]! - this.#starts[last]!;
      last++;
    }
    this.#starts.splice(first, last - first, mergedStart);
    this.#ends.splice(first, last - first, mergedEnd);
    const added = mergedEnd - mergedStart - covered;
    this.#size += added;
    return added;
  }

  /** True when all of `[start, end)` is in the set; an empty interval always is. */
  contains(start: number, end: number): boolean {
    if (start >= end) return true;
    const index = this.#firstEndingAtOrAfter(start + 1);
    return index < this.#starts.length && this.#starts[index]! <= start && end <= this.#ends[index]!;
  }

  /** The parts of `[start, end)` that are not in the set, ascending. */
  gaps(start: number, end: number): { start: number; end: number }[] {
    const gaps: { start: number; end: number }[] = [];
    let at = start;
    for (let index = this.#firstEndingAtOrAfter(start + 1); index < this.#starts.length && at < end; index++) {
      const from = this.#starts[index]!;
      if (from >= end) break;
      if (from > at) gaps.push({ start: at, end: from });
      at = this.#ends[index]!;
    }
    if (at < end) gaps.push({ start: at, end });
    return gaps;
  }

  /** The intervals, ascending. */
  *[Symbol.iterator](): Iterator<{ start: number; end: number }> {
    for (let index = 0; index < this.#starts.length; index++) {
      yield { start: this.#starts[index]!, end: this.#ends[index]! };
    }
  }

  /** Index of the first interval whose end is ≥ position (binary search). */
  #firstEndingAtOrAfter(position: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ends[middle]! < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
