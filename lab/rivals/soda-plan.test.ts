import { describe, expect, test } from 'vitest';
import { bestFirstRate, type SodaPlan } from './soda-plan.js';

const plan: SodaPlan = {
  ...{ rates: [1e6, 2e6], throughput: 2e6, bufferLevel: 4, capacity: 20, target: 4 },
  ...{ interval: 2, steps: 1, downloads: [0, 0, 0, 0], last: undefined },
};

describe('one step, by hand', () => {
  test('is at the throughput where the buffer is at its target', () => {
    // 1 Mbit/s: ln 2 · 2 · 2 / 1 + 100 · .2 · (1 − 6/4)² = 7.77; 2 Mbit/s: 0.
    expect(bestFirstRate(plan)).toBe(1);
  });

  test('is lower where the buffer is far below it', () => {
    // 1 Mbit/s: 2.77 + 100 · (1 − 3/10)² = 51.8; 2 Mbit/s: 100 · (1 − 1/10)² = 81.
    expect(bestFirstRate({ ...plan, bufferLevel: 1, target: 10 })).toBe(0);
  });

  test('keeps its rate where a switch costs more than it brings', () => {
    // 1 Mbit/s: ln 2 · 5 + 20 · (1 − 9.5/9)² = 3.53, and 8 · (ln 2)² = 3.84 for the switch; 2 Mbit/s: 100 · (1 − 7/9)² = 4.94.
    const near = { ...plan, throughput: 2.5e6, bufferLevel: 6.5, target: 9 };
    expect([undefined, 1].map((last) => bestFirstRate({ ...near, last }))).toEqual([0, 1]);
  });

  test('never stalls while another rate does not', () => {
    // At 1.5 Mbit/s .3 + 1.2 · 2 / 1.5 − 2 = −.1 would be left, whatever the weights say.
    const rates = [1e6, 1.5e6, 2e6];
    expect(bestFirstRate({ ...plan, rates, throughput: 1.2e6, bufferLevel: 0.3, last: 1 })).toBe(0);
  });

  test('leaves out what would take more than half the buffer to download', () => {
    expect([2, 2.1].map((seconds) => bestFirstRate({ ...plan, downloads: [1, seconds] }))).toEqual([1, 0]);
  });

  test('is the lowest where every rate stalls', () => {
    expect(bestFirstRate({ ...plan, throughput: 1e5, bufferLevel: 0, last: 1 })).toBe(0);
  });
});

test('goes no higher than the lowest rate that is at least the throughput', () => {
  const rates = [1e6, 2e6, 4e6, 8e6];
  expect(bestFirstRate({ ...plan, rates, throughput: 2.1e6, bufferLevel: 20 })).toBe(2);
});

test('looks further than one step', () => {
  // One step at 2 Mbit/s leaves .2 s, the target. Five must go on falling, to 1.4 … 5 s, for 20 · (6² + 12² + 18² + 24²); from
  // 1 Mbit/s they rise, to 1.8 … .2 s, for 20 · (8² + 6² + 4² + 2²) and the rest.
  const low = { ...plan, rates: [1e6, 2e6], throughput: 1.6e6, bufferLevel: 0.6, last: 1, target: 0.2 };
  expect([1, 5].map((steps) => bestFirstRate({ ...low, steps }))).toEqual([1, 0]);
});
