import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliveredScore, levelSent } from './delivered-score.js';
import { NO_LOSS } from './transport.js';

/** 40 frames of three datagrams each. */
const SEGMENT = {
  reliableBytes: 10_000,
  steps: [
    { score: 0.6, frames: 0, bytes: 0 },
    { score: 0.9, frames: 20, bytes: 72_000 },
    { score: 1, frames: 40, bytes: 144_000 },
  ],
};

describe('levelSent', () => {
  it('is the last step that was sent whole', () => {
    expect([0, 71_000, 72_000, 143_000, 144_000].map((sent) => levelSent(SEGMENT, sent))).toEqual([0, 0, 1, 1, 2]);
  });
});

describe('deliveredScore', () => {
  it('is that of the step without loss', () => {
    expect(deliveredScore(SEGMENT, 72_000, NO_LOSS)).toBe(0.9);
  });

  it('costs one frame for one datagram, on average over the curve', () => {
    const lost = { bytes: 1200, burstBytes: 1200, bursts: 1 };
    // Each of 40 frames is the one with the same chance; together they are worth 0.4.
    expect(1 - deliveredScore(SEGMENT, 144_000, lost)).toBeGreaterThan(0.01);
    expect(1 - deliveredScore(SEGMENT, 144_000, lost)).toBeLessThan(0.02);
  });

  it('costs less when the same datagrams are lost in one burst', () => {
    const spread = { bytes: 12_000, burstBytes: 12_000, bursts: 10 };
    const burst = { bytes: 12_000, burstBytes: 12_000, bursts: 1 };
    expect(deliveredScore(SEGMENT, 144_000, burst)).toBeGreaterThan(deliveredScore(SEGMENT, 144_000, spread) + 0.05);
  });

  it('lies between that of the reliable bytes alone and that of what was sent', () => {
    const loss = fc.record({
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      bursts: fc.double({ min: 0.01, max: 100, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 144_000 }), loss, (sent, { share, bursts }) => {
        const lost = { bytes: share * sent, burstBytes: sent, bursts };
        const score = deliveredScore(SEGMENT, sent, lost);
        expect(score).toBeGreaterThanOrEqual(0.6);
        expect(score).toBeLessThanOrEqual(SEGMENT.steps[levelSent(SEGMENT, sent)]!.score);
      }),
    );
  });
});
