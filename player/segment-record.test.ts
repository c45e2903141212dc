import { describe, expect, it } from 'vitest';
import { IntervalSet } from '../src/manifest/interval-set.js';
import type { SegmentMap } from '../src/manifest/segment-map.js';
import type { FrameReport } from '../src/repair/types.js';
import { createSegmentRecord, type SegmentOutcome } from './segment-record.js';

/** Bytes 1000–1099 of a file: 20 of boxes, an I-frame, three frames of 20 bytes with a reliable header of 5 each. */
const map: SegmentMap = {
  range: { start: 1000, end: 1100 },
  reliable: [
    { start: 1000, end: 1045 },
    { start: 1060, end: 1065 },
    { start: 1080, end: 1085 },
  ],
  // The last frame matters more than the third.
  unreliable: [
    { start: 1045, end: 1060 },
    { start: 1085, end: 1100 },
    { start: 1065, end: 1080 },
  ],
  reliableBytes: 55,
  steps: [
    { score: 0.6, frames: 0, bytes: 0 },
    { score: 0.8, frames: 1, bytes: 15 },
    { score: 0.9, frames: 2, bytes: 30 },
    { score: 1, frames: 3, bytes: 45 },
  ],
};
const frames = [20, 40, 60, 80].map((start, index): FrameReport => ({
  index,
  start,
  bytes: 20,
  type: index ? 'P' : 'I',
  slices: 1,
  repairedSlices: 0,
}));

function record(
  missing: SegmentOutcome['lost'],
  lost: SegmentOutcome['lost'],
  bytesRefetched = 0,
): ReturnType<typeof createSegmentRecord> {
  const received = new IntervalSet();
  let at = 0;
  for (const hole of [...missing].sort((a, b) => a.start - b.start)) {
    received.add(at, hole.start);
    at = hole.end;
  }
  received.add(at, 100);
  return createSegmentRecord({
    ...{
      index: 3,
      startTime: 12,
      duration: 4,
      representation: 'q01',
      bandwidth: 200,
      level: 3,
      delivery: 'datagrams',
    },
    ...{ bytesReliable: 55, bytesUnreliable: received.size - 55, bytesLost: 0, bytesRefetched, seconds: 0.5 },
    ...{ map, received, lost, frames },
  });
}

describe('createSegmentRecord', () => {
  it('tells reliable frames from frames whose unreliable bytes all came', () => {
    const { frames: states, score, framesTotal } = record([], []);
    expect(states).toEqual(['reliable', 'complete', 'complete', 'complete']);
    expect(framesTotal).toBe(4);
    expect(score).toBeCloseTo(1);
  });

  it('tells frames that were never sent from frames that were lost on the way', () => {
    const skipped = { start: 65, end: 80 };
    const lost = { start: 50, end: 51 };
    const result = record([skipped, lost], [lost]);
    expect(result.frames).toEqual(['reliable', 'repaired', 'skipped', 'complete']);
    expect(result).toMatchObject({ framesSkipped: 1, framesRepaired: 1 });
    expect(result.score).toBeLessThan(1);
  });

  it('counts a frame with a lost and a skipped slice once, as lost', () => {
    const twoSlices: SegmentMap = {
      ...map,
      unreliable: [
        { start: 1045, end: 1050 },
        { start: 1050, end: 1060 },
        { start: 1085, end: 1100 },
        { start: 1065, end: 1080 },
      ],
    };
    const received = new IntervalSet();
    received.add(0, 45);
    received.add(60, 100);
    const result = createSegmentRecord({
      ...{ index: 0, startTime: 0, duration: 4, representation: 'a', bandwidth: 1, level: 3, delivery: 'datagrams' },
      ...{
        bytesReliable: 55,
        bytesUnreliable: 30,
        bytesLost: 5,
        bytesRefetched: 0,
        seconds: 1,
        frames,
        received,
        map: twoSlices,
      },
      lost: [{ start: 45, end: 50 }],
    });
    expect(result.frames[1]).toBe('repaired');
    expect(result).toMatchObject({ framesSkipped: 0, framesRepaired: 1 });
  });

  it('gives bytes per time as throughput, without those that were fetched later, and 0 rather than infinity for a download within one tick', () => {
    expect(record([], []).throughput).toBe((100 * 8) / 0.5);
    const received = { contains: () => true };
    const instant = createSegmentRecord({
      ...{ index: 0, startTime: 0, duration: 4, representation: 'a', bandwidth: 1, level: 3, delivery: 'http' },
      ...{
        bytesReliable: 55,
        bytesUnreliable: 45,
        bytesLost: 0,
        bytesRefetched: 0,
        seconds: 0,
        frames: [],
        received,
        lost: [],
        map,
      },
    });
    expect(record([], [], 20).throughput).toBe((80 * 8) / 0.5);
    expect(instant).toMatchObject({ throughput: 0, framesTotal: 0, frames: [] });
  });
});
