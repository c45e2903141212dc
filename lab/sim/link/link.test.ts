import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Link } from './link.js';
import { makeTrace } from './trace.js';

const rates = fc
  .array(fc.constantFrom(0, 1e4, 1e6, 5e7), { minLength: 1, maxLength: 6 })
  .filter((list) => list.some((rate) => rate > 0));
const time = fc.double({ min: 0, max: 50, noNaN: true });

describe('Link', () => {
  it('carries what the rates say, again and again', () => {
    const link = new Link(makeTrace('a', 1, [8e6, 0]), 0.5);
    expect(link.bytesBetween(0, 0.5)).toBeCloseTo(0.5e6);
    expect(link.bytesBetween(0.5, 1.5)).toBeCloseTo(0);
    expect(link.bytesBetween(0, 20)).toBeCloseTo(10e6);
  });

  it('has carried so many bytes by the time that it says', () => {
    fc.assert(
      fc.property(rates, time, time, fc.double({ min: 1, max: 1e7, noNaN: true }), (list, shift, start, bytes) => {
        const link = new Link(makeTrace('a', 1, list), shift);
        const end = link.timeToCarry(start, bytes);
        expect(end).toBeGreaterThanOrEqual(start);
        expect(link.bytesBetween(start, end)).toBeGreaterThanOrEqual(bytes * (1 - 1e-6) - 0.01);
        expect(link.bytesBetween(start, Math.max(start, end - 1e-6))).toBeLessThanOrEqual(bytes * (1 + 1e-6) + 0.01);
      }),
    );
  });

  it('adds up over neighbouring stretches', () => {
    fc.assert(
      fc.property(rates, time, time, time, (list, a, b, c) => {
        const [start, middle, end] = [a, b, c].sort((x, y) => x - y) as [number, number, number];
        const link = new Link(makeTrace('a', 0.5, list));
        const parts = link.bytesBetween(start, middle) + link.bytesBetween(middle, end);
        expect(parts).toBeCloseTo(link.bytesBetween(start, end), 3);
      }),
    );
  });
});
