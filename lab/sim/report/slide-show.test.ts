import { expect, it } from 'vitest';
import { slideShowBeside, slideShowMark, type Watched } from './slide-show.js';

const watched = (label: string, score: number, pictures: number | null, still: number | null): Watched => ({
  ...{ label, score },
  tails: {
    picturesPerSecond: pictures === null ? null : { value: pictures },
    longestStill: still === null ? null : { value: still },
  },
});

const OTHER = watched('Dynamic', 0.95, 25, 1);

it('is a higher score at clearly fewer pictures, or at a clearly longer still', () => {
  expect(slideShowBeside(watched('a', 0.96, 22, 1), [OTHER])).toEqual(['Dynamic']);
  expect(slideShowBeside(watched('a', 0.96, 25, 1.6), [OTHER])).toEqual(['Dynamic']);
});

it('is none at a score that is not higher, at nearly as many pictures, or where nothing is known', () => {
  for (const [score, pictures, still] of [
    [0.95, 10, 9],
    [0.96, 23, 1.4],
    [0.96, null, null],
  ] as const)
    expect(slideShowBeside(watched('a', score, pictures, still), [OTHER])).toEqual([]);
});

it('is marked in words', () => {
  expect(slideShowMark([])).toBe('');
  expect(slideShowMark(['Dynamic', 'BOLA'])).toBe(', slide show beside Dynamic and BOLA');
});
