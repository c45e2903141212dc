import { describe, expect, test } from 'vitest';
import { ProgressThroughput } from './progress.js';

describe('throughput of a running download', () => {
  test('is 0 before the first byte', () => {
    const progress = new ProgressThroughput();
    progress.update(0.05, 0);
    expect(progress.throughput).toBe(0);
  });

  test('does not count the way of the request', () => {
    const progress = new ProgressThroughput();
    progress.update(0.2, 0);
    progress.update(0.25, 6250);
    expect(progress.throughput).toBeCloseTo(1e6, 3);
  });

  test('gives a new interval a tenth of the weight of all that was', () => {
    const progress = new ProgressThroughput();
    for (let interval = 1; interval <= 200; interval++) progress.update(interval * 0.05, interval * 6250);
    progress.update(201 * 0.05, 200 * 6250);
    expect(progress.throughput).toBeCloseTo(0.9e6, 3);
  });

  test('forgets slow start, and says when it is over', () => {
    const progress = new ProgressThroughput();
    let bytes = 0;
    progress.update(0.1, 0);
    const isGrowing = Array.from({ length: 20 }, (_, interval) => {
      // Doubles each .1 s up to 8 Mbit/s.
      bytes += Math.min(50_000, 6250 * 2 ** Math.floor(interval / 2));
      progress.update(0.15 + 0.05 * interval, bytes);
      return progress.isGrowing;
    });
    expect(isGrowing.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => true));
    expect(isGrowing.at(-1)).toBe(false);
    expect(progress.throughput).toBeGreaterThan(7.5e6);
  });

  test('ignores a clock that stands still and bytes that go back', () => {
    const progress = new ProgressThroughput();
    progress.update(0.05, 6250);
    progress.update(0.05, 12500);
    progress.update(0.1, 0);
    expect(progress.throughput).toBeCloseTo(1e6, 3);
  });
});
