import { describe, expect, it } from 'vitest';
import {
  meanOfWorst,
  median,
  medianInterval,
  pairedDifference,
  quantile,
  standardError,
  type Paired,
  type Statistic,
} from './statistics.js';

/** Theirs are all 0. */
const pairs = (trace: string, ours: readonly number[]): Paired[] =>
  ours.map((value) => ({ trace, ours: value, theirs: 0 }));

const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

describe('statistics', () => {
  it('finds quantiles between neighbours', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(quantile([0, 10], 0.9)).toBe(9);
    expect(quantile([5], 0.95)).toBe(5);
  });

  it('finds the mean of the worst twentieth, one on the border in part', () => {
    expect(meanOfWorst([...times(38, 0), 4, 8])).toBeCloseTo(6);
    expect(meanOfWorst([...times(29, 0), 6])).toBeCloseTo(4);
    expect(meanOfWorst([3])).toBeCloseTo(3);
  });
});

describe('standardError', () => {
  it('is that of the mean: values alone, and values of one link', () => {
    expect(standardError([[1], [2], [3]])).toBeCloseTo(1 / Math.sqrt(3));
    expect(standardError([[1, 2, 3]])).toBeCloseTo(1 / Math.sqrt(3));
    expect(standardError([[7]])).toBe(0);
  });

  it('counts what the sessions of a link have in common once', () => {
    // As for 0 and 1 alone: deviations of -.5 and .5, √(2 · .5) / 2.
    expect(standardError([[0], [1]])).toBeCloseTo(0.5);
    expect(standardError([times(20, 0), times(20, 1)])).toBeCloseTo(0.5);
    // Sums of deviations from 2: −3, 2, 1; √(14 · 3/2) / 4.
    expect(standardError([[0, 1], [4], [3]])).toBeCloseTo(Math.sqrt(21) / 4);
  });
});

describe('pairedDifference', () => {
  it('leaves no doubt where all differences are the same', () => {
    const all = times(50, 0).map((_, index) => ({ trace: String(index), ours: index - 1, theirs: index }));
    for (const statistic of ['mean', 'median', 'p90', 'worst'] as const) {
      expect(pairedDifference(all, statistic)).toEqual({ value: -1, pairs: 50, bounds: { low: -1, high: -1 } });
    }
  });

  it('bounds a few large differences widely', () => {
    const all = times(50, 0).flatMap((_, index) => pairs(String(index), [index % 10 === 0 ? -10 : 0]));
    const { value, bounds } = pairedDifference(all);
    expect(value).toBe(-1);
    expect(bounds!.low).toBeGreaterThan(-2.2);
    expect(bounds!.low).toBeLessThan(-1.4);
    expect(bounds!.high).toBeLessThan(0);
  });

  it('draws traces first: what differs between them is not hidden by many sessions over each', () => {
    // Of two traces both draws are the first one in a quarter of the samples: .25 > .025, so the bounds are the traces' own figures.
    const ofTwo = [...pairs('low', times(20, 0)), ...pairs('high', times(20, 1))];
    expect(pairedDifference(ofTwo)).toEqual({ value: 0.5, pairs: 40, bounds: { low: 0, high: 1 } });
    const alone = ofTwo.map((pair, index) => ({ ...pair, trace: String(index) }));
    const { low, high } = pairedDifference(alone).bounds!;
    expect(high - low).toBeLessThan(0.4);
  });

  it('has the bounds that can be reckoned by hand for three traces', () => {
    // Means of three draws from 0, 3 and 9: all alike 1/27 = 3.7 % each, so both 2.5 % bounds are reached by them. Medians of
    // samples: the middle trace's value where the traces are as long.
    const three = [...pairs('a', times(4, 0)), ...pairs('b', times(4, 3)), ...pairs('c', times(4, 9))];
    const expected: Record<Statistic, number> = { mean: 4, median: 3, p90: 9, worst: 9 };
    for (const statistic of ['mean', 'median', 'p90'] as const) {
      expect(pairedDifference(three, statistic)).toEqual({
        ...{ value: expected[statistic], pairs: 12 },
        bounds: { low: 0, high: 9 },
      });
    }
  });

  it('compares percentiles, not percentiles of differences', () => {
    // Ours 1 … 11, theirs backwards: differences of −10 … 10, but the same values.
    const all = times(11, 0).map((_, index) => ({ trace: String(index), ours: index + 1, theirs: 11 - index }));
    expect(pairedDifference(all, 'median').value).toBe(0);
    expect(pairedDifference(all, 'p90').value).toBe(0);
    const stretched = all.map((pair) => ({ ...pair, ours: 2 * pair.ours }));
    expect(pairedDifference(stretched, 'p90').value).toBeCloseTo(20 - 10);
  });

  it('draws pairs where there is one trace', () => {
    const { low, high } = pairedDifference(pairs('one', [...times(20, 0).keys()])).bounds!;
    expect(low).toBeGreaterThan(5);
    expect(high).toBeLessThan(14);
  });

  it('has no bounds for fewer than ten pairs', () => {
    expect(medianInterval(times(9, 2))).toEqual({ value: 2 });
    expect(pairedDifference(pairs('one', times(9, 2)))).toEqual({ value: 2, pairs: 9 });
    expect(pairedDifference(pairs('one', times(10, 2))).bounds).toBeDefined();
  });
});
