import { expect, test } from 'vitest';
import { bufferCapacity, fullBuffer } from './buffer.js';

test('a buffer for N segments takes one more, which is in flight', () => {
  expect([1, 2, 7].map((segments) => bufferCapacity(segments, 4))).toEqual([8, 12, 32]);
});

test('it is full with N segments', () => {
  expect([1, 2, 7].map((segments) => fullBuffer(segments, 4))).toEqual([4, 8, 28]);
});
