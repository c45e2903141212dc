import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryStates } from '../testing/arbitrary.js';
import type { DecisionState, LiveState, Option } from '../types.js';
import { AbrLive } from './abr-live.js';
import { linkRate } from './link-rate.js';

/** Segments of one second at 0.4, 0.8, 1.6 and 3.2 Mbit/s, a quarter of them reliable. */
const LEVELS = [
  { bytes: 50_000, floor: 0.6, score: 0.9 },
  { bytes: 100_000, floor: 0.62, score: 0.95 },
  { bytes: 200_000, floor: 0.64, score: 0.98 },
  { bytes: 400_000, floor: 0.66, score: 0.99 },
];

const options: Option[] = LEVELS.flatMap(({ bytes, floor, score }, representation) => {
  const reliableBytes = bytes / 4;
  return [
    { representation, level: 0, score: floor, bytes: reliableBytes, reliableBytes },
    { representation, level: 1, score, bytes, reliableBytes },
  ];
});

const whole = (representation: number): Option => options[2 * representation + 1]!;

/** A chunk of `packets` datagrams that came at `mbps`. */
const chunk = (mbps: number, packets = 20) => ({ packets, bytes: packets * 1000, seconds: (packets * 8e-3) / mbps });

function live(mbps: number, more: Partial<LiveState> = {}): LiveState {
  return {
    dispersions: Array.from({ length: 10 }, () => chunk(mbps)),
    windowRate: undefined,
    keyFrameBytes: LEVELS.map(({ bytes }) => bytes / 5),
    slack: 0.5,
    secondsWithoutUnsent: 10,
    ...more,
  };
}

function chosen(live: LiveState | undefined, lastChoice?: Option, more: Partial<DecisionState> = {}): number {
  const state: DecisionState = {
    ...{ segmentIndex: 5, segmentDuration: 1, bufferLevel: 0.8, bufferCapacity: 1, throughput: undefined, samples: [] },
    ...{ ladder: LEVELS.map(({ bytes, score }) => ({ bitrate: 8 * bytes, averageScore: score })), options, lastChoice },
    ...{ ...(live && { live }), ...more },
  };
  const { option } = new AbrLive().choose(state);
  expect(option).toBe(whole(option.representation));
  return option.representation;
}

describe('the rate of the link', () => {
  test('is the lower quartile of the rates at which chunks came', () => {
    const dispersions = [8, 4, 1, 6, 7].map((mbps) => chunk(mbps));
    // 1 4 6 7 8: place 0.25 · 4 = 1.
    expect(linkRate(live(1, { dispersions }))).toBeCloseTo(4e6, 3);
  });

  test('takes chunks of less than 8 packets together', () => {
    // 3 and 5 kB, 6 and 10 ms.
    expect(linkRate(live(1, { dispersions: [chunk(4, 3), chunk(4, 5)] }))).toBeCloseTo(4e6, 3);
    // 8 kB in 24 and 8 ms.
    expect(linkRate(live(1, { dispersions: [chunk(1, 3), chunk(5, 5), chunk(2, 8)] }))).toBeCloseTo(2e6, 3);
    expect(linkRate(live(1, { dispersions: [chunk(1, 7)] }))).toBeUndefined();
  });

  test('leaves out chunks that were read at once', () => {
    const atOnce = { packets: 9, bytes: 0, seconds: 0 };
    expect(linkRate(live(1, { dispersions: [atOnce, chunk(5), atOnce] }))).toBeCloseTo(5e6, 3);
    expect(linkRate(live(1, { dispersions: [atOnce] }))).toBeUndefined();
  });

  test('looks back on 16 chunks', () => {
    const before = Array.from({ length: 16 }, () => chunk(1));
    const after = Array.from({ length: 16 }, () => chunk(3));
    expect(linkRate(live(1, { dispersions: [...before, ...after] }))).toBeCloseTo(3e6, 3);
  });

  test('is at most 1.25 windows a round trip', () => {
    expect(linkRate(live(10, { windowRate: 2e6 }))).toBe(2.5e6);
    expect(linkRate(live(2, { windowRate: 2e6 }))).toBeCloseTo(2e6, 3);
  });
});

describe('the representation', () => {
  /** A link of which 0.8 of the measured rate, the share that is counted on, is just `mbps`. */
  const counted = (mbps: number, more: Partial<LiveState> = {}): LiveState => live((mbps + 1e-6) / 0.8, more);

  test('is the highest that 0.8 of the rate carries whole', () => {
    expect(chosen(live(4.01))).toBe(3);
    expect(chosen(live(3.99))).toBe(2);
    expect(chosen(live(2.01))).toBe(2);
    expect(chosen(live(1.99))).toBe(1);
  });

  test('is none whose key frame does not fit the slack', () => {
    // 80 kB at 3.2 Mbit/s take 0.2 s.
    expect(chosen(counted(3.2, { slack: 0.21 }))).toBe(3);
    expect(chosen(counted(3.2, { slack: 0.19 }))).toBe(2);
    expect(chosen(counted(3.2, { slack: 0.01 }))).toBe(0);
  });

  test('is the lowest where the link carries none', () => {
    expect(chosen(counted(0.2))).toBe(0);
    expect(chosen(live(0))).toBe(0);
  });

  test('falls at once and rises one at a time', () => {
    expect(chosen(counted(0.5), whole(3))).toBe(0);
    expect(chosen(counted(3.2), whole(0))).toBe(1);
  });

  test('rises only after two seconds without unsent bytes', () => {
    expect(chosen(counted(3.2, { secondsWithoutUnsent: 1.99 }), whole(1))).toBe(1);
    expect(chosen(counted(3.2, { secondsWithoutUnsent: 2 }), whole(1))).toBe(2);
  });

  test('stays as it was, at first the lowest, while nothing is known of the link', () => {
    expect(chosen(counted(1, { dispersions: [] }))).toBe(0);
    expect(chosen(counted(1, { dispersions: [] }), whole(2))).toBe(2);
    expect(chosen(undefined, undefined, { throughput: 2.1e6 })).toBe(2);
  });
});

test('it answers every state with one of its options', () => {
  const anyNumber = fc.double({ min: 0, max: 1e9 });
  const anyLive: fc.Arbitrary<LiveState> = fc.record({
    dispersions: fc.array(fc.record({ packets: fc.nat(40), bytes: anyNumber, seconds: anyNumber })),
    windowRate: fc.option(anyNumber, { nil: undefined }),
    keyFrameBytes: fc.array(anyNumber),
    slack: anyNumber,
    secondsWithoutUnsent: anyNumber,
  });
  fc.assert(
    fc.property(arbitraryStates, fc.option(anyLive, { nil: undefined }), (states, live) => {
      const rule = new AbrLive();
      for (const state of states) {
        const { option, delay } = rule.choose({ ...state, ...(live && { live }) });
        expect(state.options).toContain(option);
        expect(delay).toBe(0);
      }
    }),
    { numRuns: 30 },
  );
});
