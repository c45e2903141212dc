import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyRemovableSegment } from '../../test/unit/segment-content.js';
import { estimateScore, scoreGains } from './score-estimate.js';
import type { SegmentMap } from './segment-map.js';

/** Four unreliable ranges of 10 bytes; the first two weigh more. */
const map: SegmentMap = {
  range: { start: 0, end: 50 },
  reliable: [{ start: 0, end: 10 }],
  unreliable: [10, 20, 30, 40].map((start) => ({ start, end: start + 10 })),
  reliableBytes: 10,
  steps: [
    { score: 0.8, frames: 0, bytes: 0 },
    { score: 0.96, frames: 2, bytes: 20 },
    { score: 1, frames: 4, bytes: 40 },
  ],
};

/** The estimate with the ranges at these places in the order incomplete. */
function without(...missing: number[]): number {
  return estimateScore(map, (range) => !missing.includes(map.unreliable.indexOf(range)));
}

describe('estimateScore', () => {
  it('is the measured score of a delivered prefix that ends on a step', () => {
    expect(without()).toBeCloseTo(1, 12);
    expect(without(2, 3)).toBeCloseTo(0.96, 12);
    expect(without(0, 1, 2, 3)).toBeCloseTo(0.8, 12);
  });

  it('takes from it what each lost range costs at its place in the order', () => {
    expect(without(0)).toBeCloseTo(0.92, 12);
    expect(without(3)).toBeCloseTo(0.98, 12);
    expect(without(1, 3)).toBeCloseTo(0.9, 12);
    expect(without(1, 2, 3)).toBeCloseTo(0.88, 12);
  });

  it('is never below the score with only reliable bytes', () => {
    const dip = { ...map, steps: [map.steps[0]!, { score: 0.7, frames: 2, bytes: 20 }, map.steps[2]!] };
    expect(estimateScore(dip, (range) => range.start < 30)).toBe(0.8);
  });

  it('gives the first step for a loss before it, where nothing was measured', () => {
    const thesis = { ...map, steps: map.steps.slice(1) };
    expect(estimateScore(thesis, (range) => range.start !== 10)).toBe(0.96);
    expect(estimateScore(thesis, (range) => range.start !== 30)).toBeCloseTo(0.98, 12);
  });

  it('scores a segment without unreliable bytes as it is', () => {
    const whole = { ...map, unreliable: [], steps: [{ score: 1, frames: 0, bytes: 0 }] };
    expect(estimateScore(whole, () => false)).toBe(1);
  });

  describe('with measured costs', () => {
    const costs = { ...map, lossCosts: [0.05, 0.03, 0.02, 0.01] };
    const estimate = (...missing: number[]): number =>
      estimateScore(costs, (range) => !missing.includes(map.unreliable.indexOf(range)));

    it('is the measured score of a delivered prefix that ends on a step, whatever the costs say', () => {
      expect(estimate()).toBe(1);
      expect(estimate(2, 3)).toBe(0.96);
      expect(estimate(0, 1, 2, 3)).toBe(0.8);
    });

    it('takes off what losses before the end of the prefix cost, about their sum while they are few', () => {
      expect(estimate(0)).toBeCloseTo(0.95, 3);
      expect(estimate(2)).toBeCloseTo(0.98, 4);
      expect(estimate(0, 1)).toBeCloseTo(0.92, 2);
      expect(estimate(0, 1)).toBeLessThan(estimate(0));
    });

    it('takes a prefix between two steps for the upper one with losses', () => {
      expect(estimate(3)).toBeCloseTo(0.99, 4);
      expect(estimate(1, 3)).toBeCloseTo(0.96, 3);
    });

    it('bends towards the score with only reliable bytes, and is never below', () => {
      const dear = { ...map, lossCosts: [0.5, 0.5, 0.5, 0.5] };
      const estimateDear = (...missing: number[]): number =>
        estimateScore(dear, (range) => !missing.includes(map.unreliable.indexOf(range)));
      const scores = [estimateDear(0), estimateDear(0, 1), estimateDear(0, 1, 2)];
      expect(scores).toEqual([...scores].sort((one, other) => other - one));
      expect(scores.at(-1)).toBeGreaterThanOrEqual(0.8);
      expect(scores[0]).toBeLessThan(0.81);
    });

    it('gives the first step where not even that is complete', () => {
      const thesis = { ...costs, steps: map.steps.slice(1) };
      expect(estimateScore(thesis, (range) => range.start === 10)).toBe(0.96);
    });
  });
});

describe('where frames are removed', () => {
  const score = (segment: SegmentMap, isMissing: (index: number) => boolean): number =>
    estimateScore(segment, (range) => !isMissing(segment.unreliable.indexOf(range)));

  /** A segment and which of its ranges are missing. */
  const anyLoss = fc.tuple(
    anyRemovableSegment,
    fc.array(fc.nat(7)).map((places) => new Set(places)),
  );

  /** Those and all that need them. */
  function closed({ needs, unreliable }: SegmentMap, missing: ReadonlySet<number>): Set<number> {
    const all = new Set(missing);
    for (const index of unreliable.keys()) if (needs![index]!.some((need) => all.has(need))) all.add(index);
    return all;
  }

  it('gives a prefix of the order its score', () => {
    fc.assert(
      fc.property(anyRemovableSegment, (segment) => {
        for (const { frames, score: measured } of segment.steps)
          expect(score(segment, (index) => index >= frames)).toBeCloseTo(measured, 12);
      }),
    );
  });

  it('counts a frame as missing that needs a missing one', () => {
    fc.assert(
      fc.property(anyLoss, ([segment, missing]) => {
        const all = closed(segment, missing);
        expect(score(segment, (index) => missing.has(index))).toBe(score(segment, (index) => all.has(index)));
      }),
    );
  });

  it('adds up the costs of all that goes with a frame', () => {
    const needs = [[], [0], [], [1, 2]];
    const segment = { ...map, needs, lossCosts: [0.05, 0.03, 0.02, 0.01] };
    expect(score(segment, (index) => index === 2)).toBeCloseTo(0.96, 12); // a prefix of two
    expect(score({ ...segment, needs: [[], [0], [], []] }, (index) => index === 0)).toBeCloseTo(0.92, 12);
    expect(score({ ...segment, needs: [[], [], [], [1]] }, (index) => index === 0)).toBeCloseTo(0.95, 12);
  });

  it('takes as the gain of a frame what it unblocks, when the missing ones come in their order', () => {
    fc.assert(
      fc.property(anyLoss, ([segment, missing]) => {
        const last = segment.unreliable.length - 1;
        // The last one is here: what comes behind that is worth what the curve says.
        const needs = segment.needs.map((of, index) => (index === last ? [] : of));
        const costs = { ...segment, needs, lossCosts: segment.lossCosts ?? needs.map((_, index) => 1 + index) };
        const left = new Set([...missing].filter((index) => index < last));
        const gains = scoreGains(costs, (index) => !left.has(index));
        const incomplete = () => [...closed(costs, left)].reduce((sum, index) => sum + costs.lossCosts[index]!, 0);
        let before = incomplete();
        gains.forEach((gain, index) => {
          if (left.delete(index)) expect(gain).toBeCloseTo(before - (before = incomplete()), 12);
          else expect(gain).toBe(0);
        });
        expect(before).toBe(0);
      }),
    );
  });
});
