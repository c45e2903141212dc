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
