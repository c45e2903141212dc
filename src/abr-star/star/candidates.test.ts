import { expect, it } from 'vitest';
import type { Option } from '../types.js';
import { candidatesOf } from './candidates.js';

const option = (representation: number, level: number, bytes: number, score: number): Option => ({
  ...{ representation, level, bytes, score },
  reliableBytes: 10,
});

it('offers no part that shows less than the whole of the next lower representation, however small', () => {
  const lower = [option(0, 0, 100, 0.6), option(0, 1, 300, 0.9)];
  const still = option(1, 0, 200, 0.7);
  const better = option(1, 1, 400, 0.92);
  const { options, floors } = candidatesOf([...lower, still, better]);
  expect(options).toEqual([...lower, better]);
  expect(floors).toEqual([0.6, 0.7]);
});

it('always offers something, whatever the scores', () => {
  const options = [option(0, 0, 100, 0.9), option(2, 0, 200, 0.5), option(2, 1, 300, 0.8)];
  expect(candidatesOf(options).options).toEqual([options[0]]);
});
