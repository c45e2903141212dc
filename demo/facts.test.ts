import { describe, expect, it } from 'vitest';
import { meanScore } from './facts.js';

describe('meanScore', () => {
  it('is the mean over the segments that have a score', () => {
    expect(meanScore([{ score: 0.5 }, { score: undefined }, { score: 1 }])).toBe(0.75);
  });

  it('is unknown where no segment has one', () => {
    expect(meanScore([{ score: undefined }])).toBeUndefined();
  });
});
