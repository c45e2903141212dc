import { expect, it } from 'vitest';
import { seededRandom } from '../sim/random.js';
import { MEAN_FILE_BYTES, paretoBytes, thinkSeconds } from './web-workload.js';

const DRAWS = 200_000;

it('draws files of the stated mean size, none beyond the bounds', () => {
  const random = seededRandom(1);
  const sizes = Array.from({ length: DRAWS }, () => paretoBytes(random));
  const mean = sizes.reduce((sum, size) => sum + size, 0) / DRAWS;
  expect(Math.abs(mean / MEAN_FILE_BYTES - 1)).toBeLessThan(0.05);
  expect(sizes.every((size) => size >= 50_000 && size <= 20_000_000)).toBe(true);
});

it('draws pauses of the mean that is asked for', () => {
  const random = seededRandom(2);
  const pauses = Array.from({ length: DRAWS }, () => thinkSeconds(random, 3));
  expect(pauses.reduce((sum, pause) => sum + pause, 0) / DRAWS).toBeCloseTo(3, 1);
});
