import { describe, expect, it } from 'vitest';
import { NO_COUNTS } from '../../../src/delivery/index.js';
import { IntervalSet } from '../../../src/manifest/interval-set.js';
import { segmentOf } from '../../../test/unit/segment-content.js';
import { createSegmentRecord, type SegmentOutcome } from './segment-record.js';

const map = segmentOf(1000, [40, 60, 10, 30]);

function record(change: Partial<SegmentOutcome>): ReturnType<typeof createSegmentRecord> {
  const received = new IntervalSet();
  received.add(0, 140);
  return createSegmentRecord({
    index: 3,
    startTime: 12,
    duration: 4,
    representation: 'q01',
    bandwidth: 200,
    level: 2,
    delivery: 'datagrams',
    early: false,
    ...NO_COUNTS,
    bytesReliable: 50,
    bytesUnreliable: 90,
    bytesRefetched: 0,
    bytesMeasured: 120,
    seconds: 0.5,
    frames: [],
    removed: [],
    map,
    received,
    ...change,
  });
}

describe('createSegmentRecord', () => {
  it('counts frames by their state', () => {
    const frames = ['reliable', 'repaired', 'skipped', 'complete', 'skipped'] as const;
    expect(record({ frames })).toMatchObject({ framesTotal: 5, framesSkipped: 2, framesRepaired: 1, frames });
  });

  it('estimates the score of what has arrived', () => {
    expect(record({}).score).toBeCloseTo(1);
    const received = new IntervalSet();
    received.add(0, 60);
    received.add(100, 140);
    expect(record({ received }).score).toBeLessThan(1);
  });

  it('gives the bytes that came in that time as throughput, and 0 rather than infinity for a download within one tick', () => {
    expect(record({}).throughput).toBe((120 * 8) / 0.5);
    expect(record({ seconds: 0 }).throughput).toBe(0);
  });
});
