import { describe, expect, it } from 'vitest';
import type { Choice, SegmentSource } from './segment-source.js';
import { takeSample, TimeSeries, type Sample } from './time-series.js';

const sample = (time: number, buffer?: number): Sample => ({
  time,
  buffer,
  throughput: 1e6,
  bitrate: undefined,
  level: 2,
  virtualLevel: 0.5,
  latency: undefined,
  latencyTarget: undefined,
});

describe('TimeSeries', () => {
  it('keeps columns of one length and writes null for what is not known', () => {
    const series = new TimeSeries(10);
    series.add(sample(0));
    series.add(sample(0.5, 4));
    expect(series.columns).toEqual({
      time: [0, 0.5],
      buffer: [null, 4],
      throughput: [1e6, 1e6],
      bitrate: [null, null],
      level: [2, 2],
      virtualLevel: [0.5, 0.5],
      latency: [null, null],
      latencyTarget: [null, null],
    });
  });

  it('forgets the oldest samples of every column', () => {
    const series = new TimeSeries(2);
    for (const time of [1, 2, 3]) series.add(sample(time, time));
    expect(series.columns.time).toEqual([2, 3]);
    expect(series.columns.buffer).toEqual([2, 3]);
  });
});

describe('takeSample', () => {
  const source = (choice: Choice | undefined): SegmentSource => ({
    segments: () => [],
    onSegment: () => undefined,
    delivery: () => 'datagrams',
    choice: () => choice,
    throughput: () => 3e6,
    buffer: () => 8,
    chunks: () => ({ delivered: 0, repaired: 0, late: 0 }),
  });

  it('places the choice in the ladder and in its virtual levels', () => {
    const choice = { representation: 'q03', bandwidth: 5e5, level: 3, levels: 13 };
    expect(takeSample(1, source(choice), ['q00', 'q03'])).toEqual({
      time: 1,
      buffer: 8,
      throughput: 3e6,
      bitrate: 5e5,
      level: 1,
      virtualLevel: 0.25,
    });
    expect(takeSample(1, source(choice), [], { latency: 1.1, target: 1 })).toMatchObject({
      latency: 1.1,
      latencyTarget: 1,
    });
  });

  it('knows no virtual level where there is only the whole segment', () => {
    const choice = { representation: 'q00', bandwidth: 5e5, level: 0, levels: 1 };
    expect(takeSample(1, source(choice), ['q00'])).toMatchObject({ level: 0, virtualLevel: undefined });
  });

  it('knows no level before the first choice, nor outside the ladder', () => {
    expect(takeSample(1, source(undefined), ['q00'])).toMatchObject({ level: undefined, virtualLevel: undefined });
    const stranger = { representation: 'q09', bandwidth: 5e5, level: 0, levels: 2 };
    expect(takeSample(1, source(stranger), ['q00']).level).toBeUndefined();
  });
});
