import { expect, test } from 'vitest';
import { memoize } from './memoize.js';

test('derives once for each argument, by identity', () => {
  let calls = 0;
  const lengthOf = memoize((list: readonly number[]) => {
    calls++;
    return list.length;
  });
  const list = [1, 2];
  expect([lengthOf(list), lengthOf(list), lengthOf([1, 2])]).toEqual([2, 2, 2]);
  expect(calls).toBe(2);
});

test('forgets what was asked long ago', () => {
  let calls = 0;
  const derived = memoize((key: { readonly id: number }) => {
    calls++;
    return key.id;
  });
  const keys = Array.from({ length: 17 }, (_, id) => ({ id }));
  keys.forEach(derived);
  expect(derived(keys[16]!)).toBe(16);
  expect(calls).toBe(17);
  expect(derived(keys[0]!)).toBe(0);
  expect(calls).toBe(18);
});
