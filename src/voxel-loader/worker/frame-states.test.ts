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
  removed: false,
}));

function describeWithout(missing: readonly ByteRange[], lost: readonly ByteRange[], layout = map): SegmentFrames {
  return describeFrames(layout, { received: receivedWithout(missing), lost }, reports);
}

function receivedWithout(missing: readonly ByteRange[]): IntervalSet {
  const received = new IntervalSet();
  let at = 0;
  for (const gap of [...missing].sort((a, b) => a.start - b.start)) {
    received.add(at, gap.start);
    at = gap.end;
  }
  received.add(at, 100);
  return received;
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

  it('counts a frame that needs a missing one as missing, by the worst that became of these', () => {
    const layout = { ...map, needs: [[], [0], [0, 1]] };
    const taken = (indexes: readonly number[]) =>
      reports.map((one) => ({ ...one, removed: indexes.includes(one.index) }));
    const describe = (missing: ByteRange, lost: readonly ByteRange[], indexes: readonly number[]) =>
      describeFrames(layout, { received: receivedWithout([missing]), lost }, taken(indexes));
    const second = { start: 85, end: 100 };
    expect(describe(second, [], [2, 3])).toEqual({
      ...{ states: ['reliable', 'complete', 'skipped', 'skipped'], removed: [2, 3] },
      ...{ repairedFrames: 2, repairedSlices: 0 },
    });
    expect(describe(second, [second], [2, 3]).states).toEqual(['reliable', 'complete', 'repaired', 'repaired']);
    expect(describe({ start: 45, end: 60 }, [], [1, 2, 3]).states).toEqual([
      'reliable',
      'skipped',
      'skipped',
      'skipped',
    ]);
  });

  it('counts a frame as missing that went with one which came after its piece was handed over', () => {
    const late = reports.map((one) => ({ ...one, removed: one.index === 3 }));
    const arrival = { received: receivedWithout([]), lost: [] };
    const { states } = describeFrames({ ...map, needs: [[], [0], [1]] }, arrival, late);
    expect(states).toEqual(['reliable', 'complete', 'complete', 'repaired']);
  });

  it('counts a frame that is shown without those hidden in its sample as complete', () => {
    const layout = {
      ...map,
      unreliable: [{ start: 1050, end: 1060 }, { start: 1040, end: 1050 }, ...map.unreliable.slice(1)],
      needs: [[], [], [], []],
    };
    const missing = { start: 40, end: 50 };
    expect(describeWithout([missing], [missing], layout).states).toEqual([
      'reliable',
      'complete',
      'complete',
      'complete',
    ]);
  });

  it('knows of no frames where the segment could not be parsed', () => {
    const received = new IntervalSet();
    expect(describeFrames(map, { received, lost: [] }, []).states).toEqual([]);
  });
});
