import { describe, expect, it } from 'vitest';
import { meanDifference, meanOfGroups, median, quantile, standardError } from './statistics.js';

describe('statistics', () => {
  it('finds quantiles between neighbours', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(quantile([0, 10], 0.9)).toBe(9);
    expect(quantile([5], 0.95)).toBe(5);
  });

  it('estimates the standard error of a mean', () => {
    expect(standardError([1, 2, 3])).toBeCloseTo(1 / Math.sqrt(3));
    expect(standardError([7])).toBe(0);
  });

  it('bounds paired differences: all the same leave no doubt, a few large ones much', () => {
    const theirs = Array.from({ length: 50 }, (_, index) => index);
    expect(
      meanDifference(
        theirs.map((x) => x - 1),
        theirs,
      ),
    ).toEqual({ value: -1, low: -1, high: -1 });
    const { value, low, high } = meanDifference(
      theirs.map((x, index) => (index % 10 === 0 ? x - 10 : x)),
      theirs,
    );
    expect(value).toBeCloseTo(-1);
    expect(low).toBeGreaterThan(-2.2);
    expect(low).toBeLessThan(-1.4);
    expect(high).toBeLessThan(0);
  });

  it('draws groups first: what differs between traces is not hidden by many sessions over each', () => {
    const [low, high] = [0, 1].map((trace) => Array.from({ length: 20 }, () => trace)) as [number[], number[]];
    expect(meanOfGroups([low, high])).toEqual({ value: 0.5, low: 0, high: 1 });
    const alone = meanOfGroups([...low, ...high].map((value) => [value]));
    expect(alone.high - alone.low).toBeLessThan(0.4);
  });

  it('draws sessions where there is one trace', () => {
    const { low, high } = meanOfGroups([Array.from({ length: 20 }, (_, index) => index)]);
    expect(low).toBeGreaterThan(5);
    expect(high).toBeLessThan(14);
  });
});
