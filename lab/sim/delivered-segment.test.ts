import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { totalBytes } from '../../src/manifest/byte-range.js';
import { deliveredSegment, missingBytes, scoreOf } from './delivered-segment.js';
import { layOut } from './content/segment-layout.js';
import { anySegment, segmentOf } from '../../test/unit/segment-content.js';

/** 40 frames of 3600 bytes each. */
const SEGMENT = layOut({
  reliableBytes: 10_000,
  steps: [
    { score: 0.6, frames: 0, bytes: 0 },
    { score: 0.9, frames: 20, bytes: 72_000 },
    { score: 1, frames: 40, bytes: 144_000 },
  ],
});

describe('scoreOf', () => {
  it('is that of the step without loss', () => {
    expect([0, 72_000, 144_000].map((sent) => scoreOf(deliveredSegment(SEGMENT, sent, [])))).toEqual([
      expect.closeTo(0.6),
      expect.closeTo(0.9),
      expect.closeTo(1),
    ]);
  });

  it('is less by the whole frame for one lost datagram of it, by what the curve rises where its cost is not known', () => {
    const lost = [{ start: 3600, end: 4800 }];
    expect(scoreOf(deliveredSegment(SEGMENT, 144_000, lost))).toBeCloseTo(1 - 0.3 / 20);
  });

  it('is less by what the loss of the frame was measured to cost, where that is known', () => {
    const lossCosts = SEGMENT.unreliable.map((_, index) => (index === 1 ? 0.25 : 0));
    const lost = [{ start: 3600, end: 4800 }];
    // The estimate bends away from the sum as it comes near the 0.4 that the loss of everything costs.
    expect(scoreOf(deliveredSegment({ ...SEGMENT, lossCosts }, 144_000, lost))).toBeCloseTo(0.77, 2);
    expect(scoreOf(deliveredSegment({ ...SEGMENT, lossCosts }, 144_000, [{ start: 0, end: 1200 }]))).toBe(1);
  });

  it('is less by all that needs the frame, where frames are removed', () => {
    const lossCosts = SEGMENT.unreliable.map((_, index) => (index < 3 ? 0.02 : 0));
    const needs = SEGMENT.unreliable.map((_, index) => (index === 1 ? [0] : index === 2 ? [1] : []));
    const scoreWithout = (frame: number) =>
      scoreOf(
        deliveredSegment({ ...SEGMENT, lossCosts, needs }, 144_000, [{ start: 3600 * frame, end: 3600 * frame + 9 }]),
      );
    for (const frame of [0, 1, 2, 3]) expect(scoreWithout(frame)).toBeCloseTo(0.94 + 0.02 * frame, 12);
  });
});

describe('deliveredSegment', () => {
  it('puts bytes at their places in the file', () => {
    // Unreliable in order of importance: 30 bytes at 110, then 60 bytes at 40.
    const map = segmentOf(1000, [40, 60, 10, 30]);
    const { received } = deliveredSegment(map, 70, [{ start: 20, end: 35 }]);
    expect([...received]).toEqual([
      { start: 0, end: 40 },
      { start: 45, end: 80 },
      { start: 100, end: 130 },
    ]);
  });

  it('holds the reliable bytes and what was sent but for what was lost', () => {
    const pieces = fc.array(fc.nat(30), { maxLength: 6 });
    fc.assert(
      fc.property(anySegment, fc.nat(600), pieces, (map, wanted, lengths) => {
        const sent = Math.min(wanted, totalBytes(map.unreliable));
        const edges = lengths.map((sum, index) => lengths.slice(0, index).reduce((a, b) => a + b, sum));
        const lost = edges
          .flatMap((end, index) => (index % 2 ? [{ start: edges[index - 1]!, end }] : []))
          .filter(({ end }) => end <= sent);
        const delivered = deliveredSegment(map, sent, lost);
        expect(delivered.received.size).toBe(map.reliableBytes + sent - totalBytes(lost));
        expect(missingBytes(delivered)).toBe(totalBytes(map.unreliable) - sent + totalBytes(lost));
      }),
    );
  });
});
