import { describe, expect, it } from 'vitest';
import { experienceOf, metricsOf, qualityOfExperience } from './metrics.js';
import type { SessionRecord, SimulatedSegment } from './session.js';

function record(scores: readonly number[], facts: Partial<SessionRecord> = {}): SessionRecord {
  const segments = scores.map((score, representation): SimulatedSegment => ({
    ...{ score, representation, level: 0, bytes: 500, missing: 0, kept: false, restarts: 0 },
    ...{ pictures: 100, longestStill: 0.04 },
  }));
  const ladder = [1, 2, 4].map((mbps) => ({ bitrate: mbps * 1e6, averageScore: 0.5 + mbps / 8 }));
  return {
    segments,
    segmentDuration: 4,
    ladder,
    startup: 1,
    stalled: 0,
    stalls: 0,
    longestStall: 0,
    busy: { from: 0, to: 0, bytes: 0 },
    ...facts,
  };
}

describe('metricsOf', () => {
  it('is stalled time over video time, at most 1', () => {
    expect(metricsOf(record([1, 1], { stalled: 2 })).bufRatio).toBe(0.25);
    expect(metricsOf(record([1, 1], { stalled: 1000 })).bufRatio).toBe(1);
  });

  it('weighs what the first ten seconds show', () => {
    expect(metricsOf(record([0.8, 0.9, 1, 0])).scoreFirst).toBeCloseTo((4 * 0.8 + 4 * 0.9 + 2 * 1) / 10);
    expect(metricsOf(record([0.8])).scoreFirst).toBeCloseTo(0.8);
  });

  it('counts delivered bits over video time, and changes of representation', () => {
    expect(metricsOf(record([1, 1, 1]))).toMatchObject({ bitrate: 1000, switches: 2 });
  });

  it('lowers aSSIM by stalls and QoE by steps, too (design of the measure: mean/(1 + bufRatio) − step/2)', () => {
    const { score, aSSIM, qoe } = metricsOf(record([0.8, 1], { stalled: 2 }));
    expect(score).toBeCloseTo(0.9);
    expect(aSSIM).toBeCloseTo(0.9 / 1.25);
    expect(qoe).toBeCloseTo(0.9 / 1.25 - 0.5 * 0.2);
  });

  it('sorts segments by opinion: ≥ .99, ≥ .95, ≥ .88, ≥ .5 (thesis §2.7)', () => {
    const { mos, perfect } = metricsOf(record([1, 0.99, 0.95, 0.88, 0.5, 0.49, 0.2, 0.1]));
    expect(mos).toEqual({ excellent: 0.25, good: 0.125, fair: 0.125, poor: 0.125, bad: 0.375 });
    expect(perfect).toBe(0.125);
  });
});

describe("SODA's measure", () => {
  const shown = { pictures: 100, longestStill: 0.04 };
  const played = { level: 0, score: 1, bytes: 500, missing: 0, kept: false, restarts: 0, ...shown };

  it('is the mean utility, less ten times bufRatio and the share of switches', () => {
    // Utilities 0, ½ and ½ of 1, 2 and 2 of 1 … 4 Mbit/s; 1.2 s of 12 stalled; one of three segments switches.
    const segments = [0, 1, 1].map((representation) => ({ ...played, representation }));
    const { soda, waited } = experienceOf(record([], { segments, stalled: 1.2 }));
    expect(soda).toBeCloseTo(1 / 3 - 10 * 0.1 - 1 / 3, 12);
    expect(waited).toBeCloseTo(2.2, 12);
  });

  it('has a felt QoE beside it, which counts start-up as stalled and charges switches', () => {
    // 1 s of start-up and 1 of stalls in 8; one switch in two segments, for .16 of the range of .375.
    const segments = [0, 1].map((representation) => ({ ...played, representation }));
    const { felt } = experienceOf(record([], { segments, stalled: 1 }));
    expect(felt).toBeCloseTo(1 / 1.25 - (0.16 * 0.375) / 2, 12);
  });

  it('counts a prefix as the bitrate that arrived', () => {
    // Half of 4 Mbit/s is worth what 2 Mbit/s are.
    const segments = [{ ...played, representation: 2, missing: 500 }];
    expect(experienceOf(record([], { segments })).soda).toBeCloseTo(0.5, 12);
  });
});

describe('what is shown', () => {
  it('is counted in the time of playback, and stands still where frames are missing or nothing comes', () => {
    // 100 and 40 pictures in twice four seconds.
    const [whole, missing] = record([1, 1]).segments;
    const segments = [whole!, { ...missing!, pictures: 40, longestStill: 0.8 }];
    expect(experienceOf(record([], { segments }))).toMatchObject({ picturesPerSecond: 17.5, longestStill: 0.8 });
    expect(experienceOf(record([], { segments, longestStall: 2 })).longestStill).toBe(2);
  });
});

describe('qualityOfExperience', () => {
  it('is the score itself where nothing stalls or changes', () => {
    expect(qualityOfExperience([0.7, 0.7, 0.7], 0)).toBeCloseTo(0.7);
  });
});
