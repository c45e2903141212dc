import { describe, expect, it } from 'vitest';
import { totalBytes, type ByteRange } from '../manifest/byte-range.js';
import { IntervalSet } from '../manifest/interval-set.js';
import type { SegmentMap } from '../manifest/segment-map.js';
import { segmentOf } from '../../test/unit/segment-content.js';
import { look, pauseLength, planUrgent, type HeldSegment, type Moment } from './retransmission.js';

/** Unreliable: 30 bytes, then 60 bytes, each worth half of what they bring together. */
const map = segmentOf(1000, [40, 60, 10, 30]);
const [small, large] = map.unreliable as [ByteRange, ByteRange];

/** Starts at second `startTime`; of its unreliable bytes none is here. */
function held(startTime: number, round?: HeldSegment['round'], segmentMap: SegmentMap = map): HeldSegment {
  const received = new IntervalSet();
  for (const { start, end } of map.reliable) received.add(start - map.range.start, end - map.range.start);
  return { map: segmentMap, received, startTime, round };
}

/** At second 1, 1000 bytes/s. */
const moment: Moment<HeldSegment> = {
  playback: { currentTime: 1, playbackRate: 1 },
  pause: 10,
  latency: 0.01,
  throughput: 8000,
  isReplaceable: () => true,
};

const fetched = (segments: readonly HeldSegment[], change: Partial<Moment<HeldSegment>> = {}) =>
  [...look(segments, { ...moment, ...change }).fetch].map(([segment, ranges]) => [
    segment.startTime,
    totalBytes(ranges),
  ]);

describe('look', () => {
  it('fetches what is missing, most score per byte first', () => {
    const segment = held(4);
    expect(look([segment], moment)).toEqual({ end: [], drop: [], fetch: new Map([[segment, [small, large]]]) });
  });

  it('fetches nine tenths of what comes in the pause without its first round trip', () => {
    expect(fetched([held(4)], { pause: 0.08 })).toEqual([[4, 63]]);
  });

  it('looks anew after 2 s, however long the pause', () => {
    // 0.9 × (2 s − 0.01 s) of 10 bytes/s.
    expect(fetched([held(4)], { pause: Infinity, throughput: 80 })).toEqual([[4, 17]]);
  });

  it.each<[string, Partial<Moment<HeldSegment>>]>([
    ['a segment is on its way', { pause: undefined }],
    ['the pause is shorter than 70 ms', { pause: 0.069 }],
    ['the pause is over', { pause: -1 }],
    ['the pause is no longer than the round trip', { pause: 0.5, latency: 0.5 }],
    ['nothing is known of the throughput', { throughput: undefined }],
    ['the segment cannot be replaced', { isReplaceable: () => false }],
  ])('fetches nothing when %s', (_, change) => {
    expect(fetched([held(4)], change)).toEqual([]);
  });

  it.each(['urgent', 'in-pause'] as const)('makes one round at a time, be it %s', (round) => {
    expect(fetched([held(4, round), held(8)])).toEqual([]);
  });

  it('leaves a segment as it is half a second before it is played, sooner at a higher pace', () => {
    const [late, running, later] = [held(1.4), held(1.4, 'in-pause'), held(1.6)];
    expect(look([late, running, later], moment)).toMatchObject({ end: [running], drop: [late] });
    expect(fetched([late, later])).toEqual([[1.6, 90]]);
    const fast = { ...moment, playback: { currentTime: 1, playbackRate: 2 } };
    expect(look([later], fast)).toMatchObject({ end: [], drop: [later] });
  });
});

describe('planUrgent', () => {
  const costly = held(4, undefined, { ...map, lossCosts: [0.4, 0.001] });

  it('takes what is worth more than an average byte, without a pause', () => {
    expect(planUrgent(held(4), { throughput: 8000, bufferLevel: 9 })).toEqual([small]);
    costly.received.add(large.start - map.range.start, large.end - map.range.start);
    expect(planUrgent(costly, { throughput: 8000, bufferLevel: 9 })).toEqual([small]);
  });

  it('takes a tenth of the buffer’s time at most', () => {
    // 10 ms at 1000 bytes/s, 0.9 of that.
    expect(totalBytes(planUrgent(held(4), { throughput: 8000, bufferLevel: 0.1 }))).toBe(9);
  });

  it.each([
    ['an empty buffer', { throughput: 8000, bufferLevel: 0 }],
    ['a link of which nothing is known', { throughput: undefined, bufferLevel: 9 }],
  ])('takes nothing with %s', (_, link) => {
    expect(planUrgent(held(4), link)).toEqual([]);
  });
});

describe('pauseLength', () => {
  const situation = {
    ...{ bufferLevel: 9, fullBuffer: 8, ruleWaits: -3, isLastRequested: false },
    playback: { paused: false, playbackRate: 1 },
  };

  it('is the time until the buffer has room', () => {
    expect(pauseLength(situation)).toBe(1);
    expect(pauseLength({ ...situation, playback: { paused: false, playbackRate: 2 } })).toBe(0.5);
    expect(pauseLength({ ...situation, bufferLevel: 7 })).toBeLessThan(0);
  });

  it('is at least as long as the rule waits', () => {
    expect(pauseLength({ ...situation, ruleWaits: 1.5 })).toBe(1.5);
  });

  it('has no end while a full buffer does not play, and after the last segment', () => {
    expect(pauseLength({ ...situation, playback: { paused: true, playbackRate: 1 } })).toBe(Infinity);
    expect(pauseLength({ ...situation, bufferLevel: 1, isLastRequested: true })).toBe(Infinity);
  });
});
