import { expect, test } from 'vitest';
import { qoeOf, stepsOf } from './qoe.js';

test('is the sum of rates, less 40 for each stalled second and less the steps', () => {
  const played = { rates: [3, 30, 120, 60], stalled: 0.5 };
  expect(stepsOf(played)).toBe(27 + 90 + 60);
  expect(qoeOf(played)).toBe(213 - 20 - 177);
});

test("agrees with the authors' means of dash.js' Dynamic: 62.538 Mbit/s, .702 s, 260.43 of steps", () => {
  // 48 segments; the means of sums are the sums of means.
  const rates = [62.53819444444444 + 260.43333333333334 / 2, 62.53819444444444 - 260.43333333333334 / 2];
  const flat = Array.from({ length: 46 }, () => 62.53819444444444);
  const found = qoeOf({ rates: [...rates, ...flat], stalled: 0.7020100000063578 });
  expect(found + stepsOf({ rates: [...rates, ...flat], stalled: 0 }) - 260.43333333333334).toBeCloseTo(2713.32, 2);
});
