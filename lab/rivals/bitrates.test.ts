import { describe, expect, test } from 'vitest';
import { bitrateView, isWhole, wholeSegments } from './bitrates.js';
import { ladderOptions, thesisLadder } from '../../src/abr-star/testing/ladder.js';

const options = ladderOptions(thesisLadder, 4);

describe('a segment by its bitrates', () => {
  test('has the last option of each representation', () => {
    expect(wholeSegments(options).map(({ level }) => level)).toEqual(thesisLadder.map(() => 7));
    expect(options.filter((_, index) => isWhole(options, index))).toEqual(wholeSegments(options));
  });

  test('is worth the logarithm of the bitrate over the lowest', () => {
    const { ladder, options: whole } = bitrateView({ ladder: thesisLadder, options });
    expect(whole.map(({ score }) => score)).toEqual(ladder.map(({ averageScore }) => averageScore));
    expect(ladder[0]!.averageScore).toBe(0);
    expect(ladder[12]!.averageScore).toBeCloseTo(Math.log(10 / 0.16), 9);
  });

  test('has no option that is bigger than one of a higher bitrate', () => {
    const shrunk = options.map((option) => (option.representation === 5 ? { ...option, bytes: 1 } : option));
    const { options: whole } = bitrateView({ ladder: thesisLadder, options: shrunk });
    expect(whole.map(({ representation }) => representation)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
  });
});
