import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { receiveRate, recentRate, ThroughputEstimator } from './throughput.js';

describe('throughput estimate', () => {
  test('is unknown before the first download', () => {
    expect(new ThroughputEstimator().throughput).toBeUndefined();
  });

  test('is exact from the first sample on while the rate is constant', () => {
    const estimator = new ThroughputEstimator();
    for (const seconds of [0.01, 1, 30]) {
      estimator.add({ bytes: 125_000 * seconds, seconds });
      expect(estimator.throughput).toBeCloseTo(1e6, 3);
    }
  });

  test('halves the distance to a lower rate in the 3 s of the fast half-life', () => {
    const estimator = new ThroughputEstimator();
    estimator.add({ bytes: 1e9, seconds: 800 });
    estimator.add({ bytes: 0.375e6, seconds: 3 });
    expect(estimator.throughput).toBeCloseTo((10e6 + 1e6) / 2, 3);
  });

  test('halves the distance to a higher rate in the 8 s of the slow half-life', () => {
    const estimator = new ThroughputEstimator();
    estimator.add({ bytes: 1e8, seconds: 800 });
    estimator.add({ bytes: 10e6, seconds: 8 });
    expect(estimator.throughput).toBeCloseTo((1e6 + 10e6) / 2, 3);
  });

  test('ignores samples that carry no rate', () => {
    const estimator = new ThroughputEstimator();
    estimator.add({ bytes: 1000, seconds: 0 });
    estimator.add({ bytes: 0, seconds: 1 });
    estimator.add({ bytes: NaN, seconds: 1 });
    expect(estimator.throughput).toBeUndefined();
    expect(estimator.samples).toEqual([]);
  });

  test('keeps the latest 20 samples, newest last', () => {
    const estimator = new ThroughputEstimator();
    for (let bytes = 1; bytes <= 25; bytes++) estimator.add({ bytes, seconds: 1 });
    expect(estimator.samples.map((sample) => sample.bytes)).toEqual(Array.from({ length: 20 }, (_, i) => i + 6));
  });

  test('lies between the lowest and the highest sample', () => {
    const sample = fc.record({
      bytes: fc.integer({ min: 1, max: 1e9 }),
      seconds: fc.double({ min: 1e-9, max: 100, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1 }), (samples) => {
        const estimator = new ThroughputEstimator();
        const rates = samples.map(({ bytes, seconds }) => (bytes * 8) / seconds);
        for (const sample of samples) estimator.add(sample);
        expect(estimator.throughput).toBeGreaterThanOrEqual(Math.min(...rates) * (1 - 1e-9));
        expect(estimator.throughput).toBeLessThanOrEqual(Math.max(...rates) * (1 + 1e-9));
      }),
    );
  });
});

describe('the rate from first byte to last', () => {
  const at = (mbps: number, seconds: number) => ({
    bytes: (mbps * 1e6 * seconds) / 8,
    seconds: seconds + 1,
    timeToFirstByte: 1,
  });

  test('is unknown where no sample tells one', () => {
    expect(receiveRate([])).toBeUndefined();
    expect(recentRate([{ bytes: 0, seconds: 1 }], 3)).toBeUndefined();
  });

  test('of late forgets by half in 3 s; the cautious one takes 8 s to rise', () => {
    expect(recentRate([at(10, 800), at(1, 3)], 3)).toBeCloseTo(5.5e6, 0);
    expect(recentRate([at(1, 800), at(10, 3)], 3)).toBeCloseTo(5.5e6, 0);
    expect(receiveRate([at(10, 800), at(1, 3)])).toBeCloseTo(5.5e6, 0);
    expect(receiveRate([at(1, 800), at(10, 8)])).toBeCloseTo(5.5e6, 0);
  });
});
