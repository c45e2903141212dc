import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IntervalSet } from './interval-set.js';

const interval = fc.tuple(fc.nat(60), fc.nat(12)).map(([start, length]): [number, number] => [start, start + length]);

describe('IntervalSet', () => {
  it('agrees with a plain set of integers', () => {
    fc.assert(
      fc.property(fc.array(interval, { maxLength: 30 }), interval, (added, [from, to]) => {
        const set = new IntervalSet();
        const model = new Set<number>();
        for (const [start, end] of added) {
          const before = model.size;
          for (let value = start; value < end; value++) model.add(value);
          expect(set.add(start, end)).toBe(model.size - before);
        }
        expect(set.size).toBe(model.size);
        expect([...set].flatMap(({ start, end }) => integers(start, end))).toEqual([...model].sort((a, b) => a - b));
        const missing = integers(from, to).filter((value) => !model.has(value));
        expect(set.gaps(from, to).flatMap(({ start, end }) => integers(start, end))).toEqual(missing);
        expect(set.contains(from, to)).toBe(missing.length === 0);
      }),
    );
  });

  it('agrees with a plain set where it has thousands of intervals, and where one covers them', () => {
    const order = fc.sample(fc.shuffledSubarray(integers(0, 4000), { minLength: 3000 }), { numRuns: 1, seed: 14 })[0]!;
    const set = new IntervalSet();
    for (const index of order) expect(set.add(3 * index, 3 * index + 1)).toBe(1);
    const positions = order.map((index) => 3 * index).sort((a, b) => a - b);
    expect([...set].map(({ start }) => start)).toEqual(positions);
    expect(set.gaps(0, 12_000).length).toBe(positions.length + (positions[0] === 0 ? 0 : 1));
    expect(positions.every((at) => set.contains(at, at + 1) && !set.contains(at, at + 2))).toBe(true);
    expect(set.add(1, 11_990)).toBe(11_989 - positions.filter((at) => at >= 1 && at < 11_990).length);
    expect([...set].length).toBeLessThan(10);
  });

  it('keeps its intervals apart: neighbours become one', () => {
    const set = new IntervalSet();
    set.add(0, 2);
    set.add(4, 6);
    set.add(2, 4);
    expect([...set]).toEqual([{ start: 0, end: 6 }]);
  });

  it('refuses what is no interval', () => {
    expect(() => new IntervalSet().add(3, 2)).toThrow(RangeError);
    expect(() => new IntervalSet().add(-1, 2)).toThrow(RangeError);
    expect(() => new IntervalSet().add(NaN, 2)).toThrow(RangeError);
  });
});

function integers(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}
