import { expect, test } from 'vitest';
import { timeRanges } from '../../test/unit/time-ranges.js';
import { secondsAhead } from './buffered-time.js';

test('the buffer reaches to the first gap after the moment that plays', () => {
  expect(secondsAhead(timeRanges([0, 4], [8, 12]), 3)).toBe(1);
  expect(secondsAhead(timeRanges([0, 4], [4.05, 8], [12, 14]), 3)).toBe(5);
  expect(secondsAhead(timeRanges([0, 4], [8, 12]), 9)).toBe(3);
  expect(secondsAhead(timeRanges([0, 4]), 4)).toBe(0);
  expect(secondsAhead(timeRanges([0, 4]), 4.2)).toBeUndefined();
  expect(secondsAhead(timeRanges([0, 4], [8, 12]), 6)).toBeUndefined();
  expect(secondsAhead(timeRanges([8, 12]), 7.95)).toBeCloseTo(4.05);
  expect(secondsAhead(timeRanges(), 0)).toBeUndefined();
  expect(secondsAhead(undefined, 0)).toBeUndefined();
});
