import { describe, expect, it } from 'vitest';
import { PlaybackMetrics, type PlaybackEvent } from './playback-metrics.js';

function after(events: readonly (readonly [PlaybackEvent, number])[], requestedAt?: number): PlaybackMetrics {
  const metrics = new PlaybackMetrics(requestedAt);
  for (const [event, at] of events) metrics.record(event, at);
  return metrics;
}

describe('PlaybackMetrics', () => {
  it('knows no start-up time before the first picture', () => {
    expect(
      after([
        ['play', 100],
        ['waiting', 110],
      ]).summary(500),
    ).toMatchObject({
      startupMs: undefined,
      stalls: 0,
      stallSeconds: 0,
    });
  });

  it('counts start-up from the play event, or from the request that it was given', () => {
    expect(
      after([
        ['play', 100],
        ['waiting', 110],
        ['playing', 350],
      ]).summary(500).startupMs,
    ).toBe(250);
    expect(
      after(
        [
          ['play', 100],
          ['playing', 350],
        ],
        0,
      ).summary(500).startupMs,
    ).toBe(350);
  });

  it('keeps the first start-up time', () => {
    expect(
      after([
        ['play', 0],
        ['playing', 50],
        ['pause', 60],
        ['play', 90],
        ['playing', 95],
      ]).summary(99),
    ).toMatchObject({
      startupMs: 50,
      stalls: 0,
      stallSeconds: 0,
    });
  });

  it('counts a stall from waiting to playing, once, however often the element says waiting', () => {
    const metrics = after([
      ['playing', 0],
      ['waiting', 1000],
      ['waiting', 1500],
      ['playing', 3000],
      ['playing', 3001],
    ]);
    expect(metrics.summary(9000)).toMatchObject({ stalls: 1, stallSeconds: 2 });
  });

  it('counts no wait that is shorter than a picture of 25 fps is shown', () => {
    const metrics = after([
      ['playing', 0],
      ['waiting', 1000],
      ['playing', 1039],
      ['waiting', 2000],
      ['playing', 2040],
      ['waiting', 3000],
    ]);
    expect(metrics.summary(3039)).toMatchObject({ stalls: 1, stallSeconds: 0.04 });
  });

  it('counts a stall that still lasts', () => {
    expect(
      after([
        ['playing', 0],
        ['waiting', 1000],
      ]).summary(1500),
    ).toMatchObject({ stalls: 1, stallSeconds: 0.5 });
  });

  it('goes on with a stall, or begins one, where the player itself jumps', () => {
    const metrics = new PlaybackMetrics(0, 'player');
    const events: [PlaybackEvent, number][] = [
      ['playing', 0],
      ['waiting', 1000],
      ['seeking', 1400],
      ['seeked', 2000],
      ['playing', 2001],
      ['seeking', 3000],
      ['waiting', 3000],
      ['playing', 3500],
    ];
    for (const [event, at] of events) metrics.record(event, at);
    expect(metrics.summary(4000)).toMatchObject({ stalls: 2, stallSeconds: 1.501 });
  });

  it('counts no wait during a seek, and ends a stall where a seek begins', () => {
    const metrics = after([
      ['playing', 0],
      ['waiting', 1000],
      ['seeking', 1400],
      ['waiting', 1401],
      ['seeked', 2000],
      ['playing', 2001],
    ]);
    expect(metrics.summary(3000)).toMatchObject({ stalls: 1, stallSeconds: 0.4 });
  });

  it('counts a stall after a seek', () => {
    const metrics = after([
      ['playing', 0],
      ['seeking', 10],
      ['seeked', 20],
      ['playing', 21],
      ['waiting', 50],
      ['playing', 150],
    ]);
    expect(metrics.summary(200)).toMatchObject({ stalls: 1, stallSeconds: 0.1 });
  });

  it('ends a stall where the viewer pauses', () => {
    expect(
      after([
        ['playing', 0],
        ['waiting', 1000],
        ['pause', 1250],
      ]).summary(9000),
    ).toMatchObject({
      stalls: 1,
      stallSeconds: 0.25,
    });
  });

  it('takes the wait for the end of the stream for no stall', () => {
    expect(
      after([
        ['playing', 0],
        ['waiting', 1000],
        ['ended', 1200],
      ]).summary(2000),
    ).toMatchObject({
      stalls: 0,
      stallSeconds: 0,
    });
  });
});

describe('PlaybackMetrics of what was watched', () => {
  it('counts seeks until a picture of the place is there, and the longest stall', () => {
    const metrics = after([
      ['playing', 0],
      ['waiting', 1000],
      ['playing', 1500],
      ['waiting', 3000],
      ['playing', 3200],
      ['seeking', 4000],
      ['seeking', 4300],
      ['seeked', 4800],
      ['playing', 4801],
      ['found', 5000],
      ['seeking', 8000],
    ]);
    const expected = { stalls: 2, stallSeconds: 0.7, longestStall: 0.5, seeks: 2, seekSeconds: 1.5 };
    expect(metrics.summary(8500)).toMatchObject(expected);
    expect(metrics.summary(8500).watchedSeconds).toBeCloseTo(6.3);
  });

  it('has watched while the video played, however short it waited, and no longer than to its end', () => {
    const metrics = after([
      ['playing', 0],
      ['waiting', 1000],
      ['playing', 1030],
      ['pause', 2000],
      ['seeking', 2500],
      ['seeked', 2600],
      ['found', 2700],
      ['play', 5000],
      ['playing', 5001],
      ['waiting', 6001],
      ['ended', 6500],
    ]);
    expect(metrics.summary(9000)).toMatchObject({ stalls: 0, seeks: 1 });
    expect(metrics.summary(9000).watchedSeconds).toBeCloseTo(3);
  });

  it('counts start-up from the latest wish', () => {
    const metrics = new PlaybackMetrics();
    metrics.asked(100);
    metrics.record('play', 5000);
    metrics.asked(5000);
    metrics.record('playing', 5100);
    expect(metrics.summary(6000).startupMs).toBe(100);
  });
});
