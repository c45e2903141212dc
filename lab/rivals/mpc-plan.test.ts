import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bestFirstStep, type PlanOption, type PlanStart } from './mpc-plan.js';

/** The value of the best plan that begins with an option, by trying all. */
function bestValue(segments: readonly (readonly PlanOption[])[], start: PlanStart, first?: number): number {
  const [options, ...rest] = segments;
  if (!options) return 0;
  const values = options.map(({ bitrate, seconds }, index) => {
    if (first !== undefined && index !== first) return -Infinity;
    const change = Math.abs(bitrate - (start.bitrate ?? bitrate));
    const stall = Math.max(0, seconds - start.bufferLevel);
    const left = Math.max(0, start.bufferLevel - seconds) + start.segmentDuration;
    const bufferLevel = Math.min(left, start.bufferCapacity - start.segmentDuration);
    return bitrate - change - 3 * stall + bestValue(rest, { ...start, bufferLevel, bitrate });
  });
  return Math.max(...values);
}

const start: PlanStart = { bufferLevel: 8, bufferCapacity: 16, segmentDuration: 4, bitrate: 1 };

/** Segments at constant bitrate over a link of `mbps`. */
const plan = (mbps: number, ...bitrates: number[]) =>
  Array.from({ length: 5 }, () => bitrates.map((bitrate) => ({ bitrate, seconds: (bitrate * 4) / mbps })));

describe('best first step', () => {
  test('is the highest option where the link carries it, and the lowest where it carries nothing', () => {
    expect(bestFirstStep(plan(20, 1, 3, 10), start)).toBe(2);
    expect(bestFirstStep(plan(0.1, 1, 3, 10), start)).toBe(0);
  });

  test('passes over an option that costs more in changes than it brings', () => {
    const [oneSegment] = plan(20, 1, 3);
    expect(bestFirstStep([oneSegment!], { ...start, bitrate: 3 })).toBe(1);
    expect(bestFirstStep(plan(20, 1, 3).slice(0, 2), { ...start, bitrate: 1 })).toBe(1);
  });

  test('saves for a big segment to come', () => {
    const [now, ...later] = plan(3, 1, 3);
    const big = later.map((options) => options.map((option) => ({ ...option, seconds: 2.5 * option.seconds })));
    expect(bestFirstStep([now!, ...plan(3, 1, 3).slice(1)], start)).toBe(1);
    expect(bestFirstStep([now!, ...big], { ...start, bufferLevel: 4 })).toBe(0);
  });

  test('begins a plan that none surpasses', () => {
    const option = fc.record({
      bitrate: fc.double({ min: 0.1, max: 20, noNaN: true }),
      seconds: fc.double({ min: 0, max: 30, noNaN: true }),
    });
    const segments = fc.array(fc.array(option, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    const from = fc.record({
      bufferLevel: fc.double({ min: 0, max: 16, noNaN: true }),
      bufferCapacity: fc.double({ min: 8, max: 32, noNaN: true }),
      segmentDuration: fc.constant(4),
      bitrate: fc.option(fc.double({ min: 0.1, max: 20, noNaN: true }), { nil: undefined }),
    });
    fc.assert(
      fc.property(segments, from, (segments, start) => {
        const first = bestFirstStep(segments, start);
        expect(bestValue(segments, start, first)).toBeCloseTo(bestValue(segments, start), 6);
      }),
    );
  });
});
