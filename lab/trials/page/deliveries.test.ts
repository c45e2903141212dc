import { describe, expect, it } from 'vitest';
import type { SegmentRecord } from '../../../player/api/types.js';
import { Deliveries } from './deliveries.js';

const record = (bandwidth: number, framesRepaired = 0) =>
  ({
    index: 1,
    startTime: 4,
    duration: 4,
    bandwidth,
    framesSkipped: 0,
    framesRepaired,
    frames: [],
  }) as unknown as SegmentRecord;

describe('Deliveries', () => {
  it('keeps the better segment that comes before the former plays', () => {
    const deliveries = new Deliveries();
    deliveries.add(record(100, 2), { at: 1, position: 0 }, new Uint8Array(3));
    expect(deliveries.damaged(1)).toHaveLength(3);
    expect(deliveries.add(record(200), { at: 2, position: 3.9 }, new Uint8Array(4))).toBe(true);
    expect(deliveries.segments).toMatchObject([{ bandwidth: 200, deliveredAt: 2 }]);
    expect(deliveries.damaged(1)).toBeUndefined();
  });

  it('keeps the former when the other comes while it plays', () => {
    const deliveries = new Deliveries();
    deliveries.add(record(100, 2), { at: 1, position: 0 }, new Uint8Array(3));
    expect(deliveries.add(record(200), { at: 5, position: 4.1 })).toBe(false);
    expect(deliveries.segments).toMatchObject([{ bandwidth: 100, deliveredAt: 1 }]);
    expect(deliveries.damaged(1)).toHaveLength(3);
  });

  it('counts a segment for which playback waited', () => {
    const deliveries = new Deliveries();
    expect(deliveries.add(record(100), { at: 9, position: 4.02 })).toBe(true);
    expect(deliveries.segments).toHaveLength(1);
  });
});
