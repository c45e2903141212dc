import { expect, it } from 'vitest';
import { firstRateOver } from './first-rate.js';

const unknown = { roundTrip: 0, rate: Infinity };

it('lets the first segment take what the rule counts on, less over a far link', () => {
  expect(firstRateOver(1_000_000, unknown, { segmentDuration: 4 })).toBe(1_000_000);
  expect(firstRateOver(1_000_000, { ...unknown, roundTrip: 0.4 }, { segmentDuration: 4 })).toBe(250_000);
});

it('has it come within one and a half seconds where the link is known to be slow, with its audio', () => {
  const slow = { roundTrip: 0.05, rate: 800_000 };
  expect(firstRateOver(1_000_000, slow, { segmentDuration: 4 })).toBe(300_000);
  expect(firstRateOver(1_000_000, { ...slow, audioRate: 48_000 }, { segmentDuration: 4 })).toBe(252_000);
  expect(firstRateOver(1_000_000, { ...slow, audioRate: 48_000 }, { segmentDuration: 1 })).toBe(752_000);
});

it('has the rest keep up where it is played while it arrives', () => {
  const first = { segmentDuration: 4, inPieces: true };
  expect(firstRateOver(1_000_000, { roundTrip: 0.05, rate: 800_000, audioRate: 48_000 }, first)).toBe(592_000);
  expect(firstRateOver(1_000_000, { ...unknown, roundTrip: 0.3 }, first)).toBe(1_000_000);
  expect(firstRateOver(1_000_000, { ...unknown, roundTrip: 0.6 }, first)).toBe(500_000);
});
