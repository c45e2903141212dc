import { describe, expect, test } from 'vitest';
import { CONSTANTS } from './constants.js';
import { outageStall, prospectsAround, rateDeviation, safeRate, unsteadiness, withFade } from './prospects.js';

const samples = (...rates: number[]) => rates.map((rate) => ({ bytes: rate, seconds: 1 }));

test('three rates have the mean and the deviation of the logarithm that they stand for', () => {
  const prospects = prospectsAround(Math.E, 0.3);
  const mean = (of: (logarithm: number) => number) =>
    prospects.reduce((sum, { secondsPerByte, probability }) => sum + probability * of(Math.log(8 / secondsPerByte)), 0);
  expect(mean((x) => x)).toBeCloseTo(1, 12);
  expect(mean((x) => (x - 1) ** 2)).toBeCloseTo(0.09, 12);
});

test('only an unsteady link fades', () => {
  const prospects = prospectsAround(8e6, 0.2);
  const [fade, ...others] = withFade(prospects, 0.2, CONSTANTS);
  expect(fade).toEqual({ secondsPerByte: 1e-6 * CONSTANTS.fadeFactor, probability: CONSTANTS.fadeChance });
  expect(others.map(({ secondsPerByte }) => secondsPerByte)).toEqual(prospects.map((other) => other.secondsPerByte));
  expect([fade!, ...others].reduce((sum, { probability }) => sum + probability, 0)).toBeCloseTo(1, 12);
  expect(withFade(prospects, 0.05, CONSTANTS)[0]!.probability).toBe(0);
});

describe('deviation', () => {
  test('is that from one download to the next', () => {
    expect(rateDeviation(samples(1e6, 1e6 * Math.exp(0.15), 1e6), CONSTANTS)).toBeCloseTo(0.15, 12);
  });

  test('stays within its bounds, and is the highest where nothing is known', () => {
    expect(rateDeviation(samples(1e6, 1e6, 1e6), CONSTANTS)).toBe(0.05);
    expect(rateDeviation(samples(1, 1e9), CONSTANTS)).toBe(0.2);
    expect(rateDeviation(samples(1e6), CONSTANTS)).toBe(0.2);
  });

  test('passes over samples that carry no rate', () => {
    const stalled = { bytes: 0, seconds: 5 };
    expect(rateDeviation([samples(1e6)[0]!, stalled, samples(1e6)[0]!], CONSTANTS)).toBe(0.05);
  });
});

test('an unsteady link is counted on by the safety factor, a steady one nearly in full', () => {
  const constants = { ...CONSTANTS, bandwidthSafety: 0.8 };
  expect(safeRate(1e6, 0.2, constants)).toBeCloseTo(0.8e6, 6);
  expect(safeRate(1e6, 0.05, constants)).toBeCloseTo(1e6 * 0.8 ** 0.25, 6);
});

test('an unsteady link is as unsteady as any is taken to be', () => {
  expect(unsteadiness(0.2, CONSTANTS)).toBe(1);
  expect(unsteadiness(0.05, CONSTANTS)).toBe(0.25);
});

test('an outage stalls less the more is buffered and the steadier the link is', () => {
  expect(outageStall(0, 0.2, CONSTANTS)).toBeCloseTo(0.25 * 12, 12);
  expect(outageStall(12, 0.2, CONSTANTS)).toBeCloseTo((0.25 * 12) / Math.E, 12);
  expect(outageStall(12, 0.05, CONSTANTS)).toBeCloseTo(outageStall(12, 0.2, CONSTANTS) / 4, 12);
});
