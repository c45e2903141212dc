import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interrupted, type LinkStep } from './outage.js';

/** Mbit/s at a time. */
function rateAt(steps: readonly LinkStep[], time: number): number {
  const period = steps.reduce((sum, { seconds }) => sum + seconds, 0);
  let left = time % period;
  for (const { seconds, mbps } of steps) {
    if (left < seconds) return mbps;
    left -= seconds;
  }
  return steps.at(-1)!.mbps;
}

describe('interrupted', () => {
  it('carries nothing in an outage and goes on as it would have gone on', () => {
    expect(interrupted([{ seconds: 1, mbps: 10 }], 0, [{ start: 5, stop: 9.5 }])).toEqual([
      { seconds: 5, mbps: 10 },
      { seconds: 4.5, mbps: 0 },
      { seconds: 7190.5, mbps: 10 },
    ]);
  });

  it('keeps the delays and losses of what it interrupts', () => {
    const lossy = { mbps: 10, delayMs: 5, lossPercent: 2 };
    const steps = [
      { seconds: 3600, ...lossy },
      { seconds: 3600, ...lossy, lossPercent: 0 },
    ];
    expect(interrupted(steps, 0, [{ start: 10, stop: 20 }])).toEqual([
      { seconds: 10, ...lossy },
      { seconds: 10, ...lossy, mbps: 0 },
      { seconds: 3580, ...lossy },
      { seconds: 3600, ...lossy, lossPercent: 0 },
    ]);
  });

  it('has the rates of the trace from its start on everywhere else', () => {
    const second = fc.integer({ min: 0, max: 40 });
    const step = fc.record({ seconds: fc.integer({ min: 1, max: 9 }), mbps: fc.integer({ min: 0, max: 50 }) });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 5 }),
        fc.record({ from: second, start: second, length: second, at: fc.integer({ min: 0, max: 200 }) }),
        (steps, { from, start, length, at }) => {
          const result = interrupted(steps, from, [{ start, stop: start + length }]);
          expect(result.reduce((sum, { seconds }) => sum + seconds, 0)).toBeCloseTo(7200);
          const isOut = at >= start && at < start + length;
          expect(rateAt(result, at + 0.5)).toBe(isOut ? 0 : rateAt(steps, from + at + 0.5));
        },
      ),
    );
  });
});
