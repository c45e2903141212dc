import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SegmentMap } from '../manifest/segment-map.js';
import { segmentOptions, withoutDominated } from './options.js';
import { arbitraryStates } from './testing/arbitrary.js';
import type { Option } from './types.js';

function segment(reliableBytes: number, steps: readonly (readonly [bytes: number, score: number])[]): SegmentMap {
  return {
    range: { start: 0, end: 1000 },
    reliable: [],
    unreliable: [],
    reliableBytes,
    steps: steps.map(([bytes, score], frames) => ({ bytes, score, frames })),
  };
}

describe('options of a segment', () => {
  test('are its quality steps in every representation, reliable bytes included', () => {
    const low = segment(10, [
      [0, 0.6],
      [40, 0.8],
    ]);
    const high = segment(100, [[0, 0.7]]);
    expect(segmentOptions([low, high])).toEqual([
      { representation: 0, level: 0, score: 0.6, bytes: 10, reliableBytes: 10 },
      { representation: 0, level: 1, score: 0.8, bytes: 50, reliableBytes: 10 },
      { representation: 1, level: 0, score: 0.7, bytes: 100, reliableBytes: 100 },
    ]);
  });

  test('leave out a representation that has no map', () => {
    expect(segmentOptions([undefined, segment(1, [[0, 1]])]).map((option) => option.representation)).toEqual([1]);
  });
});

describe('without dominated ones', () => {
  test('prefixes go that cost no less than the untouched next lower representation and score below it', () => {
    const low = segment(20, [[60, 0.9]]);
    const high = segment(40, [
      [30, 0.8],
      [40, 0.85],
      [60, 0.95],
    ]);
    expect(withoutDominated(segmentOptions([low, high])).map((option) => option.score)).toEqual([0.8, 0.9, 0.95]);
  });

  test('every option left costs more and scores higher than the one before, and every one that went is beaten', () => {
    fc.assert(
      fc.property(arbitraryStates, ([state]) => {
        const { options } = state!;
        const left = withoutDominated(options);
        const beats = (a: Option, b: Option) => a.bytes <= b.bytes && a.score >= b.score;
        left.slice(1).forEach((option, index) => {
          expect(option.bytes).toBeGreaterThan(left[index]!.bytes);
          expect(option.score).toBeGreaterThan(left[index]!.score);
        });
        for (const option of options) expect(left.some((better) => beats(better, option))).toBe(true);
      }),
    );
  });
});
