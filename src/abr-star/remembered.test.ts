import { expect, test } from 'vitest';
import { remembered } from './remembered.js';

test('derives once for each argument, by identity', () => {
  let calls = 0;
  const lengthOf = remembered((list: readonly number[]) => {
    calls++;
    return list.length;
  });
  const list = [1, 2];
  expect([lengthOf(list), lengthOf(list), lengthOf([1, 2])]).toEqual([2, 2, 2]);
  expect(calls).toBe(2);
});
