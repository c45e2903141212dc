import { expect, it } from 'vitest';
import { deadlineOf } from './deadline.js';

it.each([
  [8, 1, 8000],
  [8, 2, 4000],
  [1.2345, 0.5, 2469],
])('is when %d s of buffer are played at %d times the speed', (bufferLevel, rate, deadline) => {
  expect(deadlineOf(bufferLevel, rate)).toBe(deadline);
});

it.each([
  ['nothing plays', 8, 0],
  ['the buffer is empty', 0, 1],
  ['the buffer is all but empty', 0.4, 1],
])('is none when %s', (_case, bufferLevel, rate) => {
  expect(deadlineOf(bufferLevel, rate)).toBeUndefined();
});
