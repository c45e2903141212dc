import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShownPicture } from '../page/types.js';
import { everyPicture, interruptions, latencyOf, skippedSeconds } from './interruptions.js';

const FRAME = 0.04;
const PERIOD = 40;
/** The shortest, s: δ + 150 ms. */
const FREEZE = 0.19;
/** Rounding errors that sums of seconds may have. */
const ROUNDING = 1e-9;
const SPAN = { from: 1000, to: 11_000 };

/** 25 pictures a second from 0 ms on, for 12 s, but for those between two times. */
const times = (...gaps: readonly (readonly [number, number])[]) =>
  Array.from({ length: 300 }, (_, index) => PERIOD * index).filter((at) =>
    gaps.every(([low, high]) => at <= low || at >= high),
  );

describe('interruptions', () => {
  it('are spans without a new picture from max(3 δ, δ + 150 ms) on', () => {
    expect(interruptions(times(), SPAN, FRAME)).toEqual({ count: 0, seconds: 0 });
    expect(interruptions(times([2000, 2160]), SPAN, FRAME)).toEqual({ count: 0, seconds: 0 });
    expect(interruptions(times([2000, 2200], [5000, 6000]), SPAN, FRAME)).toEqual({ count: 2, seconds: 1.2 });
  });

  it('count for what of them lies in the span', () => {
    expect(interruptions(times([400, 2000]), SPAN, FRAME)).toEqual({ count: 1, seconds: 1 });
    expect(interruptions(times([10_000, 12_000]), SPAN, FRAME)).toEqual({ count: 1, seconds: 1 });
    expect(interruptions([], SPAN, FRAME)).toEqual({ count: 1, seconds: 10 });
    expect(interruptions(times([400, 1000]), SPAN, FRAME)).toEqual({ count: 0, seconds: 0 });
  });

  it('are never longer than the span, and no shorter with pictures taken away', () => {
    const some = fc.array(fc.nat(12_000), { maxLength: 60 }).map((values) => values.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(some, fc.nat(59), (shown, taken) => {
        const { seconds } = interruptions(shown, SPAN, FRAME);
        const fewer = interruptions(
          shown.filter((_, index) => index !== taken),
          SPAN,
          FRAME,
        );
        expect(seconds).toBeLessThanOrEqual(10 + ROUNDING);
        // Without the last picture before the span, what stands at its start is taken for new.
        expect(fewer.seconds).toBeGreaterThanOrEqual(seconds - FREEZE - ROUNDING);
      }),
    );
  });
});

const picture = (at: number, mediaTime: number, count: number): ShownPicture => [at, mediaTime, count];

it('puts pictures in that a busy page was not told of', () => {
  const told = [picture(0, 0, 1), picture(40, 0.04, 2), picture(160, 0.16, 5)];
  const all = everyPicture(told);
  expect(all.map(([at]) => at)).toEqual([0, 40, 80, 120, 160]);
  expect(all.map(([, , count]) => count)).toEqual([1, 2, 3, 4, 5]);
});

it('finds media that were jumped over, and takes a stall or a busy page for none', () => {
  const pictures = [
    ...[picture(2000, 0, 1), picture(2040, 0.04, 2), picture(4000, 0.08, 3)],
    ...[picture(4200, 0.28, 8), picture(4240, 1.32, 9)],
  ];
  expect(skippedSeconds(pictures, SPAN)).toBeCloseTo(1);
  expect(skippedSeconds(pictures, { from: 5000, to: 9000 })).toBe(0);
});

it('is as late as the picture on the screen, which grows older while playback waits', () => {
  const start = -1000;
  const steady = Array.from({ length: 300 }, (_, index) => picture(PERIOD * index, FRAME * index, index + 1));
  expect(latencyOf(steady, SPAN, start).mean).toBeCloseTo(1);
  const waiting = steady.map(([at, time, count]) => picture(at < 6000 ? at : at + 1000, time, count));
  const { mean, p95 } = latencyOf(waiting, SPAN, start);
  // 5 s at 1 s, 1 s on the way to 2 s, 4 s there.
  expect(mean).toBeCloseTo((5 + 1.5 + 8) / 10, 2);
  expect(p95).toBeCloseTo(2, 2);
  expect(latencyOf([], SPAN, start).mean).toBeUndefined();
});
