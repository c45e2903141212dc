import { expect, it } from 'vitest';
import { rateShare } from './segments.js';

const path = (mbps: number, ms: number) => ({ rate: (mbps * 1e6) / 8, roundTrip: ms / 1000 });

it('segments get what both interfaces carry together, also where one is further away than a segment takes', () => {
  expect(rateShare([path(6, 20), path(5, 50)], 0.5e6)).toBeGreaterThan(0.95);
  expect(rateShare([path(12, 30), path(0.5, 200)], 2e6)).toBeGreaterThan(0.95);
  expect(rateShare([path(50, 10), path(50, 200)], 0.5e6)).toBeGreaterThan(0.95);
});
