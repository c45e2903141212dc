import { expect, it } from 'vitest';
import { firstRateOver } from './first-rate.js';

const unknown = { roundTrip: 0, rate: Infinity };

it('lets the first segment take what the rule counts on, less over a far link', () => {
  expect(firstRateOver(1_000_000, unknown, 4)).toBe(1_000_000);
  expect(firstRateOver(1_000_000, { ...unknown, roundTrip: 0.4 }, 4)).toBe(250_000);
});

it('has it come within one and a half seconds where the link is known to be slow, with its audio', () => {
  const slow = { roundTrip: 0.05, rate: 800_000 };
  expect(firstRateOver(1_000_000, slow, 4)).toBe(300_000);
  expect(firstRateOver(1_000_000, { ...slow, audioRate: 48_000 }, 4)).toBe(252_000);
  expect(firstRateOver(1_000_000, { ...slow, audioRate: 48_000 }, 1)).toBe(752_000);
});
