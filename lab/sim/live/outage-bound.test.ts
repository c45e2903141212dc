import { describe, expect, test } from 'vitest';
import { makeTrace } from '../link/trace.js';
import { unavoidableOutage } from './outage-bound.js';

const demand = { rate: 400_000, chunk: 0.25, lead: 0.5 };
const minute = { from: 0, to: 60 };
/** 1 Mbit/s but for these seconds of each minute. */
const link = (rates: Readonly<Record<number, number>>) =>
  makeTrace(
    'link',
    1,
    Array.from({ length: 60 }, (_, second) => rates[second] ?? 1e6),
  );

describe('without new pictures are', () => {
  test('none of a link that carries the rate', () => {
    expect(unavoidableOutage(link({}), 0, minute, demand)).toBe(0);
  });

  // Chunks of 100 kbit: those made at 20 to 21.5 s would be here at 22.1, which is in time for that of 21.75 first.
  test('an outage but for what a chunk may take', () => {
    expect(unavoidableOutage(link({ 20: 0, 21: 0 }), 0, minute, demand)).toBe(7 * 0.25);
  });

  test('nothing of an outage that is shorter than that', () => {
    const fine = makeTrace(
      'fine',
      0.1,
      Array.from({ length: 600 }, (_, index) => (index >= 200 && index < 203 ? 0 : 1e6)),
    );
    expect(unavoidableOutage(fine, 0, minute, demand)).toBe(0);
  });

  test('what a link of half the rate cannot carry', () => {
    expect(unavoidableOutage(makeTrace('half', 1, [200_000]), 0, minute, demand)).toBeCloseTo(30, 0);
  });

  test('those of the window, from where the session starts in the trace', () => {
    const outage = link({ 20: 0, 21: 0 });
    expect(unavoidableOutage(outage, 0, { from: 30, to: 60 }, demand)).toBe(0);
    expect(unavoidableOutage(outage, 40, { from: 30, to: 60 }, demand)).toBe(7 * 0.25);
  });
});
