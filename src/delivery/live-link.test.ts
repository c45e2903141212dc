import { describe, expect, test } from 'vitest';
import { LiveLink, type LiveChunkFacts } from './live-link.js';

const LADDER = [
  { key: 'low', bitrate: 800_000 },
  { key: 'high', bitrate: 2_400_000 },
];

function chunk(change: Partial<LiveChunkFacts> = {}): LiveChunkFacts {
  return {
    ...{ number: 0, range: { start: 0, end: 50_000 }, wholeScore: 0.95, reliableScore: 0.75, bytesReliable: 20_000 },
    ...{
      bytesUnreliable: 30_000,
      bytesUnsent: 0,
      bytesLost: 0,
      bytesRepeated: 0,
      dispersion: undefined,
      slack: undefined,
      roundTrip: undefined,
      window: undefined,
    },
    ...change,
  };
}

const moment = { segmentIndex: 3, segmentDuration: 1, bufferLevel: 0.8, last: 'low', now: 5000 };

describe('what a rule is shown', () => {
  test('of a representation whose chunks came, their shares and scores', () => {
    const link = new LiveLink(0);
    link.add(LADDER[0]!, chunk(), 1000);
    link.add(LADDER[0]!, chunk({ number: 1, range: { start: 50_000, end: 100_000 }, bytesReliable: 5_000 }), 1100);
    const { options, lastChoice, live } = link.state(LADDER, moment);
    // A quarter of the bytes was reliable, and a fifth of them came with the first chunk.
    expect(options[0]).toEqual({ representation: 0, level: 0, score: 0.75, bytes: 25_000, reliableBytes: 25_000 });
    expect(options[1]).toEqual({ representation: 0, level: 1, score: 0.95, bytes: 100_000, reliableBytes: 25_000 });
    expect(live!.keyFrameBytes[0]).toBe(20_000);
    expect(lastChoice).toBe(options[1]);
  });

  test('of another one the same shares of its bitrate, and a better score where that is higher', () => {
    const link = new LiveLink(0);
    link.add(LADDER[0]!, chunk({ range: { start: 0, end: 100_000 }, bytesReliable: 25_000 }), 1000);
    const { options, live } = link.state(LADDER, moment);
    expect(options[3]).toMatchObject({ bytes: 300_000, reliableBytes: 75_000 });
    // 0.95 + 0.05 · 0.2 · ln 3
    expect(options[3]!.score).toBeCloseTo(0.960986, 6);
    expect(live!.keyFrameBytes[1]).toBe(75_000);
  });

  test('of a segment of which the key frame alone has come, that it is not all of it', () => {
    const link = new LiveLink(0);
    link.add(LADDER[0]!, chunk(), 1000);
    const keyFrame = {
      range: { start: 0, end: 21_000 },
      reliableScore: 0.95,
      bytesReliable: 21_000,
      bytesUnreliable: 0,
    };
    link.add(LADDER[0]!, chunk(keyFrame), 2000);
    const { options, live } = link.state(LADDER, moment);
    expect(live!.keyFrameBytes).toEqual([21_000, 63_000]);
    expect(options[0]).toMatchObject({ score: 0.75, bytes: 21_000, reliableBytes: 21_000 });
  });

  test('before anything came, something of everything', () => {
    const { options, lastChoice, live } = new LiveLink(0).state(LADDER, { ...moment, last: undefined });
    expect(options.map(({ representation, level }) => [representation, level])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]);
    expect(options[3]!.score).toBeGreaterThan(options[1]!.score);
    expect(options[1]!.reliableBytes).toBe(25_000);
    expect(lastChoice).toBeUndefined();
    expect(live).toMatchObject({ dispersions: [], windowRate: undefined, secondsWithoutUnsent: 5 });
  });

  test('how long the server has sent everything in time', () => {
    const link = new LiveLink(0);
    link.add(LADDER[0]!, chunk({ bytesUnsent: 1 }), 3500);
    link.add(LADDER[0]!, chunk({ number: 1 }), 3600);
    expect(link.state(LADDER, moment).live!.secondsWithoutUnsent).toBe(1.5);
  });

  test('that a key frame has two round trips less where one is hardly ever complete without a repeat', () => {
    const link = new LiveLink(0);
    const slackAfter = (bytesRepeated: number): number => {
      link.add(LADDER[0]!, chunk({ bytesRepeated, slack: 300, roundTrip: 60 }), 1000);
      return link.state(LADDER, moment).live!.slack;
    };
    expect(slackAfter(250)).toBe(0.3);
    expect(slackAfter(260)).toBe(0.18);
    // A burst of ten packets is remembered.
    slackAfter(12_000);
    expect(Array.from({ length: 50 }, () => slackAfter(0)).lastIndexOf(0.18)).toBe(37);
    // The deadline is for all frames.
    expect(link.deadline).toBe(300);
  });

  test("the rate that the sender's window lets through", () => {
    const link = new LiveLink(0);
    link.add(LADDER[0]!, chunk({ roundTrip: 40, window: 20_000 }), 1000);
    expect(link.state(LADDER, moment).live!.windowRate).toBe(4e6);
  });
});

describe('the time that the server has for the frames of a chunk', () => {
  test('is what chunks had, in the middle', () => {
    const link = new LiveLink(0);
    for (const slack of [900, 350, 420, undefined, 100]) link.add(LADDER[0]!, chunk({ slack }), 1000);
    expect(link.deadline).toBe(420);
  });

  test('is never nothing, and short while nothing is known', () => {
    const link = new LiveLink(0);
    expect(link.deadline).toBe(200);
    link.add(LADDER[0]!, chunk({ slack: -50 }), 1000);
    expect(link.deadline).toBe(50);
  });
});

describe('how long a server has for the frames of a chunk', () => {
  const segment = { startTime: 20, duration: 1 };
  const playhead = { mediaTime: 18, at: 5000, rate: 1 };

  test('while the segment is made, is what such chunks had lately', () => {
    const link = new LiveLink(0);
    link.add(LADDER[0]!, chunk({ slack: 420.4 }), 1000);
    expect(link.deadlineOf(segment, { edge: 21.4, playhead, now: 5000 })).toBe(420);
  });

  test('of one that has ended, lasts until its end is due', () => {
    const link = new LiveLink(0);
    // Its end is shown in 3 s, and has to be there 80 ms before.
    expect(link.deadlineOf(segment, { edge: 30, playhead, now: 5000 })).toBe(2920);
    expect(link.deadlineOf(segment, { edge: 30, playhead, now: 9000 })).toBe(50);
    expect(link.deadlineOf(segment, { edge: 30, playhead: undefined, now: 5000 })).toBeUndefined();
  });

  test('after a seek, is nothing that chunks had before', () => {
    const link = new LiveLink(0);
    link.add(LADDER[0]!, chunk({ slack: 8000 }), 1000);
    link.seek();
    expect(link.deadline).toBe(200);
  });
});
