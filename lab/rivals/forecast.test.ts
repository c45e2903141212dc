import { describe, expect, test } from 'vitest';
import { robustForecast } from './forecast.js';

const samples = (...mbps: number[]) => mbps.map((rate) => ({ bytes: (rate * 1e6) / 8, seconds: 1 }));

describe('robust forecast', () => {
  test('knows nothing without a sample', () => {
    expect(robustForecast([])).toBeUndefined();
    expect(robustForecast([{ bytes: 0, seconds: 4 }])).toBeUndefined();
  });

  test('is the throughput itself where that never changes', () => {
    expect(robustForecast(samples(3, 3, 3, 3, 3, 3, 3))).toBeCloseTo(3e6, 3);
  });

  test('is the harmonic mean of the last five, discounted by the largest of its last five errors', () => {
    // Means before each of the last five samples: 8, 8, 8, 8, 8; the last one is wrong by 8/2 − 1 = 3.
    const mean = 5 / (4 / 8 + 1 / 2);
    expect(robustForecast(samples(1, 8, 8, 8, 8, 8, 8, 8, 8, 8, 2))).toBeCloseTo((mean / (1 + 3)) * 1e6, 3);
  });

  test('forgets an error after five samples', () => {
    expect(robustForecast(samples(1, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8))).toBeCloseTo(8e6, 3);
  });
});
