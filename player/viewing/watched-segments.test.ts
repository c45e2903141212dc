import { describe, expect, it } from 'vitest';
import { NO_COUNTS } from '../../src/delivery/index.js';
import type { ChunkEvent, SegmentRecord } from '../api/types.js';
import { WatchedSegments } from './watched-segments.js';

/** A segment of 2 s; 100 bytes, of them 60 reliable. */
const segment = (index: number, changes: Partial<SegmentRecord> = {}) =>
  ({
    ...{ index, startTime: 2 * index, duration: 2, score: index / 10, delivery: 'datagrams' },
    ...{ bytesReliable: 60, bytesUnreliable: 40, ...changes },
  }) as SegmentRecord;

describe('WatchedSegments', () => {
  it('has the scores of what was shown, and the bytes of all', () => {
    const watched = new WatchedSegments();
    for (const index of [0, 1, 2, 3, 4]) watched.add(segment(index), 0);
    watched.add(segment(5, { delivery: 'http' }), 0);
    expect(watched.summary()).toEqual({ score: undefined, bytes: { datagrams: 500, streams: 0, http: 100 } });
    for (const time of [2.04, 2.08, 4.2, 8.2, 5.99]) watched.show(time);
    const { score } = watched.summary();
    expect(score?.mean).toBeCloseTo(0.7 / 3);
    // Of .1, .2 and .4, linear between neighbours.
    expect(score?.p10).toBeCloseTo(0.12);
  });

  it('has a segment as it came last in time to be shown', () => {
    const watched = new WatchedSegments();
    watched.add(segment(1), 0);
    watched.add(segment(1, { score: 0.9, bytesUnreliable: 90 }), 1.9);
    watched.add(segment(1, { score: 0.5 }), 2.1);
    watched.show(3);
    expect(watched.summary()).toEqual({
      score: { mean: 0.9, p10: 0.9 },
      bytes: { datagrams: 150, streams: 0, http: 0 },
    });
    // A seek has emptied the buffer.
    watched.add(segment(1, { score: 0.5 }), undefined);
    expect(watched.summary().score).toEqual({ mean: 0.5, p10: 0.5 });
  });

  it('leaves out what has no score', () => {
    const watched = new WatchedSegments();
    watched.add(segment(0, { score: undefined }), 0);
    watched.add(segment(1), 0);
    watched.show(0);
    expect(watched.summary().score).toBeUndefined();
    watched.show(2);
    expect(watched.summary().score?.mean).toBe(0.1);
  });

  it('puts the chunks of a live segment together', () => {
    const chunk = { ...NO_COUNTS, index: 7, mediaType: 'video', bytesReliable: 10 } as unknown as ChunkEvent;
    const watched = new WatchedSegments();
    watched.addChunk({ ...chunk, startTime: 14, duration: 0.5, score: 0.8 }, 'datagrams');
    watched.addChunk({ ...chunk, startTime: 14.5, duration: 1.5, score: 0.4 }, 'datagrams');
    watched.show(15.9);
    expect(watched.summary().score?.mean).toBeCloseTo(0.5);
    expect(watched.summary().bytes).toEqual({ datagrams: 20, streams: 0, http: 0 });
  });
});
