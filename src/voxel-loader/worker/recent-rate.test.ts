import { expect, it } from 'vitest';
import { RecentRate } from './recent-rate.js';

/** A rate that bytes of 1000 came at, one every 100 ms from `from` to `to`. */
function arrivals(rate: RecentRate, from: number, to: number, bytes: number): number {
  let here = bytes;
  for (let at = from; at <= to; at += 100) rate.add((here += 1000), at);
  return here;
}

it('is the lower of all that came and of the last second', () => {
  const rate = new RecentRate();
  const here = arrivals(rate, 100, 2000, 0);
  expect(rate.rate(here, 2000, 2000)).toBeCloseTo(80_000, -1);
  // A round trip of a second before.
  expect(rate.rate(here, 2000, 3000)).toBeCloseTo(53_333, -1);
  expect(rate.rate(here, 2500, 2500)).toBeLessThan(60_000);
});

it('says nothing by one burst, but what came since the beginning', () => {
  const rate = new RecentRate();
  rate.add(5000, 100);
  rate.add(10_000, 160);
  expect(rate.rate(10_000, 160, 160)).toBe(500_000);
});

it('counts from the end of an outage', () => {
  const rate = new RecentRate();
  const before = arrivals(rate, 100, 2000, 0);
  // Looked at while nothing comes: no byte ends an outage.
  rate.add(before, 9000);
  expect(rate.rate(before, 9000, 9000)).toBeLessThan(20_000);
  const here = arrivals(rate, 14_000, 14_500, before);
  expect(rate.rate(here, 14_500, 14_500)).toBeCloseTo(80_000, -1);
});
