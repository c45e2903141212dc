import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bufferAhead, type PipelineMoment, type PipelineThreshold } from './pipeline.js';

/** Nine tenths of a segment in 1.8 s: the rest takes 0.2 s. */
const near: PipelineMoment = {
  bytesReceived: 900,
  bytesRequested: 1000,
  elapsed: 1.8,
  segmentDuration: 2,
  bufferLevel: 4,
  fullBuffer: 14,
  playbackRate: 1,
};
/** Rx_T of "Dashing towards Hollywood": the share of a segment's bytes that are here when the next one is asked for; they tried 0.75 to 0.99. */
const threshold: PipelineThreshold = { share: 0.9, lead: 0 };

describe('the next segment is asked for', () => {
  it('when Rx_T of the running one is here, with the buffer that will be there then', () => {
    expect(bufferAhead(near, threshold)).toBeCloseTo(4 - 0.2 + 2);
    expect(bufferAhead(near, { ...threshold, share: 0.96 })).toBeUndefined();
  });

  it('a tenth of a second sooner, as nobody looks more often', () => {
    expect(bufferAhead({ ...near, bytesReceived: 858 }, threshold)).toBeDefined();
    expect(bufferAhead({ ...near, bytesReceived: 850 }, threshold)).toBeUndefined();
  });

  it('with a buffer that only grows while nothing plays, and is never less than the segment', () => {
    expect(bufferAhead({ ...near, playbackRate: 0 }, threshold)).toBe(6);
    expect(bufferAhead({ ...near, bufferLevel: 0.1 }, threshold)).toBe(2);
  });

  it('with what there will be of a segment that comes in pieces, which plays meanwhile', () => {
    expect(bufferAhead({ ...near, bufferLevel: 0.5, handedOver: 1 }, threshold)).toBeCloseTo(0.5 + 1 - 0.2);
    expect(bufferAhead({ ...near, bufferLevel: 0.1, handedOver: 2 }, threshold)).toBe(0);
  });

  it('sooner by as much as a request takes, but not before a fifth of it is here', () => {
    const early = { ...near, bytesReceived: 600, elapsed: 0.6 };
    expect(bufferAhead(early, threshold)).toBeUndefined();
    expect(bufferAhead(early, { ...threshold, lead: 0.21 })).toBeDefined();
    expect(bufferAhead(early, { ...threshold, lead: 0.19 })).toBeUndefined();
    expect(bufferAhead({ ...early, bytesReceived: 199 }, { ...threshold, lead: 9 })).toBeUndefined();
  });

  it('not before there is room for it in the buffer', () => {
    expect(bufferAhead({ ...near, bufferLevel: 12.3 }, threshold)).toBeUndefined();
    expect(bufferAhead({ ...near, bufferLevel: 12.1 }, threshold)).toBeCloseTo(13.9);
  });

  it('not before the first byte', () => {
    expect(bufferAhead({ ...near, bytesReceived: 0 }, threshold)).toBeUndefined();
    expect(bufferAhead({ ...near, elapsed: 0 }, threshold)).toBeUndefined();
  });
});

const seconds = fc.double({ min: 0, max: 60, noNaN: true });
const moments = fc.record({
  bytesReceived: fc.integer({ min: 0, max: 2e6 }),
  bytesRequested: fc.integer({ min: 1, max: 2e6 }),
  elapsed: seconds,
  segmentDuration: fc.double({ min: 0.1, max: 10, noNaN: true }),
  bufferLevel: seconds,
  fullBuffer: seconds,
  playbackRate: fc.constantFrom(0, 0.5, 1, 2),
});
const thresholds = fc.record({
  share: fc.double({ min: 0.75, max: 0.99, noNaN: true }),
  lead: fc.double({ min: 0, max: 2, noNaN: true }),
});

describe('whatever the download', () => {
  it('the buffer has room, a fifth of the segment is here, and the buffer holds the segment', () => {
    fc.assert(
      fc.property(moments, thresholds, (moment, threshold) => {
        const buffer = bufferAhead(moment, threshold);
        if (buffer === undefined) return;
        expect(buffer).toBeLessThan(moment.fullBuffer);
        expect(buffer).toBeGreaterThanOrEqual(moment.segmentDuration);
        expect(buffer).toBeLessThanOrEqual(moment.bufferLevel + moment.segmentDuration);
        expect(moment.bytesReceived).toBeGreaterThanOrEqual(0.2 * moment.bytesRequested);
      }),
    );
  });

  it('once it is time it stays time, as long as there is room', () => {
    fc.assert(
      fc.property(moments, thresholds, fc.integer({ min: 0, max: 1e6 }), (moment, threshold, more) => {
        fc.pre(bufferAhead({ ...moment, fullBuffer: Infinity }, threshold) !== undefined);
        const later = { ...moment, bytesReceived: moment.bytesReceived + more, fullBuffer: Infinity };
        expect(bufferAhead(later, threshold)).toBeDefined();
      }),
    );
  });
});
