import fc from 'fast-check';
import { expect, it } from 'vitest';
import { seedOf } from './seed.mjs';

it('is the same in every run, unless the environment names another or wants any', () => {
  expect(seedOf(undefined)).toBe(seedOf(''));
  expect(seedOf('42')).toBe(42);
  const any = Array.from({ length: 8 }, () => seedOf('random'));
  expect(new Set(any).size).toBeGreaterThan(1);
  expect(any.map((seed) => seedOf(String(seed)))).toEqual(any);
});

it.each(['-1', '1.5', '4294967296', 'any'])('is refused where it is %s', (setting) => {
  expect(() => seedOf(setting)).toThrow(`SEED must be an integer from 0 to 2147483647, or random, got '${setting}'`);
});

it('is that of all properties in this project', () => {
  const drawn = () => fc.sample(fc.integer(), 5);
  expect(drawn()).toEqual(drawn());
  expect(() => {
    fc.assert(fc.property(fc.integer(), () => false));
  }).toThrow(`seed: ${fc.readConfigureGlobal().seed!}`);
});
