import { describe, expect, it } from 'vitest';
import type { Delivery, SegmentRecord } from '../player/api/types.js';
import { NO_COUNTS } from '../src/delivery/index.js';
import { buildReport, type LivePlayback, type ReportTransport } from './report.js';
import { defaultSettings } from './settings.js';
import type { PlaybackSummary } from './video-observer.js';

const playback: PlaybackSummary = {
  startupMs: 320,
  stalls: 1,
  stallSeconds: 0.5,
  longestStall: 0.5,
  playedSeconds: 12,
  errors: [],
  totalVideoFrames: 360,
  droppedVideoFrames: 2,
  buffered: [[0, 12]],
  duration: 12,
  position: 12,
  ended: true,
};

function segment(index: number, delivery: Delivery, score: number | undefined): SegmentRecord {
  return {
    index,
    startTime: index * 4,
    duration: 4,
    representation: 'q03',
    bandwidth: 560_000,
    level: 9,
    levels: 12,
    delivery,
    early: false,
    ...NO_COUNTS,
    bytesReliable: 40_000,
    bytesUnreliable: 200_000,
    bytesLost: 1200,
    bytesRepeated: 2000,
    bytesRecovered: 800,
    bytesRefetched: 0,
    framesTotal: 2,
    framesSkipped: 0,
    framesRepaired: 1,
    score,
    seconds: 1.5,
    throughput: 1_280_000,
    frames: ['reliable', 'repaired'],
    removed: [],
  };
}

const report = (segments: SegmentRecord[], summary = playback, live?: LivePlayback) =>
  buildReport({ playback: summary, segments, live, fallbacks: [], settings: defaultSettings });

describe('buildReport', () => {
  it('has latency and chunks of live streams alone', () => {
    const chunks = { delivered: 80, repaired: 3, late: 1 };
    const live = { latency: 0.9, mean: 1.02, p95: 1.1, seconds: 12, target: 1, chunks };
    const ofLive = { latency: 1.02, latencyP95: 1.1, latencyTarget: 1, chunks };
    expect(report([], playback, live)).toMatchObject(ofLive);
    expect(report([])).toMatchObject({ latency: null, latencyP95: null, latencyTarget: null, chunks: null });
  });

  it('has every field that headless runs promise', () => {
    const text = JSON.stringify(report([segment(0, 'datagrams', undefined)]));
    const parsed = JSON.parse(text) as Record<string, unknown> & { segments: Record<string, unknown>[] };
    expect(Object.keys(parsed)).toEqual(
      expect.arrayContaining([
        ...['transport', 'startupMs', 'stalls', 'stallSeconds', 'playedSeconds', 'errors', 'segments'],
      ]),
    );
    expect(Object.keys(parsed.segments[0]!)).toEqual(
      expect.arrayContaining([
        ...['index', 'representation', 'level', 'bytesReliable', 'bytesUnreliable', 'bytesLost', 'bytesRefetched'],
        ...['framesTotal', 'framesSkipped', 'framesRepaired', 'score'],
      ]),
    );
  });

  it('writes frames as one letter each', () => {
    expect(report([segment(0, 'datagrams', 1)]).segments[0]!.frames).toBe('rx');
  });

  it('writes what is unknown as null, so that the field is there', () => {
    const { startupMs, duration, segments } = report([segment(0, 'http', undefined)], {
      ...playback,
      startupMs: undefined,
      duration: undefined,
    });
    expect([startupMs, duration, segments[0]!.score]).toEqual([null, null, null]);
  });

  it.each<[ReportTransport, Delivery[]]>([
    ['http', []],
    ['webtransport-datagrams', ['http', 'datagrams', 'datagrams']],
    ['webtransport-reliable', ['http', 'streams', 'streams']],
    ['http', ['http', 'datagrams', 'http']],
  ])('names %s as the transport of %j', (expected, deliveries) => {
    expect(report(deliveries.map((delivery, index) => segment(index, delivery, 0.99))).transport).toBe(expected);
  });
});
