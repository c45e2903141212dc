import { expect, test } from 'vitest';
import { levelReached } from './review.js';

const steps = [0, 100, 300].map((bytes, frames) => ({ score: frames, frames, bytes }));

test('a level is reached with its last byte, and the first one with none', () => {
  expect([0, 99, 100, 299, 300, 1000].map((bytes) => levelReached(steps, bytes))).toEqual([0, 0, 1, 1, 2, 2]);
});

test('where the first measured prefix is not empty it counts as reached from the start', () => {
  expect(levelReached(steps.slice(1), 0)).toBe(0);
});
