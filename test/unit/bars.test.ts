import { expect, test } from 'vitest';
import { atLeast, atMost, complaintOf } from '../../lab/sim/report/bar.js';

test('figures hold up to their limits, and a bench with one that does not ends with a complaint', () => {
  expect([atMost('a', 2, 2), atLeast('a', 2, 2)].map(({ holds }) => holds)).toEqual([true, true]);
  expect(complaintOf([atMost('a', 2, 2), atLeast('b', 3, 2)])).toBeUndefined();
  expect(complaintOf([atMost('a', 2.1, 2), atLeast('b', 3, 2)])).toBe('1 of 2 bars missed');
  expect(complaintOf([atMost('a', NaN, 2), atLeast('b', 1, 2)])).toBe('2 of 2 bars missed');
});
