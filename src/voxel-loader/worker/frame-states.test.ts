import { describe, expect, it } from 'vitest';
import type { ByteRange } from '../../manifest/byte-range.js';
import { IntervalSet } from '../../manifest/interval-set.js';
import type { FrameReport } from '../../repair/types.js';
import type { SegmentFrames, SegmentLayout } from '../types.js';
import { describeFrames } from './frame-states.js';

/** Bytes 1000–1099 of a file: 20 of boxes, an I-frame, three frames of 20 bytes with a reliable header of 5 each. */
const map: SegmentLayout = {
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
};
const reports = [20, 40, 60, 80].map((start, index): FrameReport => ({
  index,
  start,
  bytes: 20,
  type: index ? 'P' : 'I',
  slices: 1,
  repairedSlices: 0,
}));

function describeWithout(missing: readonly ByteRange[], lost: readonly ByteRange[], layout = map): SegmentFrames {
  const received = new IntervalSet();
  let at = 0;
  for (const gap of [...missing].sort((a, b) => a.start - b.start)) {
    received.add(at, gap.start);
    at = gap.end;
  }
  received.add(at, 100);
  return describeFrames(layout, { received, lost }, reports);
}

describe('describeFrames', () => {
  it('tells reliable frames from frames whose unreliable bytes all came', () => {
    expect(describeWithout([], []).states).toEqual(['reliable', 'complete', 'complete', 'complete']);
  });

  it('tells frames that were never sent from frames that were lost on the way', () => {
    const skipped = { start: 65, end: 80 };
    const lost = { start: 50, end: 51 };
    expect(describeWithout([skipped, lost], [lost]).states).toEqual(['reliable', 'repaired', 'skipped', 'complete']);
  });

  it('counts a frame with a lost and a skipped slice as lost', () => {
    const twoSlices = [{ start: 1045, end: 1050 }, { start: 1050, end: 1060 }, ...map.unreliable.slice(1)];
    const { states } = describeWithout([{ start: 45, end: 60 }], [{ start: 45, end: 50 }], {
      ...map,
      unreliable: twoSlices,
    });
    expect(states).toEqual(['reliable', 'repaired', 'complete', 'complete']);
  });

  it('counts frames and slices that the repair has replaced', () => {
    const repaired = reports.map((report, index) => ({ ...report, repairedSlices: index }));
    const received = new IntervalSet();
    expect(describeFrames(map, { received, lost: [] }, repaired)).toMatchObject({
      repairedFrames: 3,
      repairedSlices: 6,
    });
  });

  it('knows of no frames where the segment could not be parsed', () => {
    const received = new IntervalSet();
    expect(describeFrames(map, { received, lost: [] }, []).states).toEqual([]);
  });
});
