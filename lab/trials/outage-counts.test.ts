import { describe, expect, it } from 'vitest';
import { countOutages } from './outage-counts.js';

const url = 'https://10.77.1.1:4433/voxel';
const samples = (bytes: (at: number) => number) =>
  Array.from({ length: 200 }, (_, index) => index / 4).map((at) => ({
    ...{ at, position: at, buffer: 4, throughput: null },
    pathBytes: [0, bytes(at)],
  }));

describe('countOutages', () => {
  const outages = [
    { start: 10, stop: 20 },
    { start: 30, stop: 40 },
  ];

  it('says when a path is used again after each, and how often it was said to have failed', () => {
    const moments = [
      { at: 11, url, state: 'failed' },
      { at: 21, url, state: 'open' },
    ] as const;
    // 100 kB a second but in the outages, after each of which it takes a second to begin.
    const bytes = (at: number) => 1e5 * (Math.min(at, 10) + Math.max(0, Math.min(at, 30) - 21) + Math.max(0, at - 41));
    expect(countOutages(outages, 1, { samples: samples(bytes), moments })).toEqual([
      { start: 10, stop: 20, failures: 1, usedAgain: 1.75 },
      { start: 30, stop: 40, failures: 0, usedAgain: 1.75 },
    ]);
  });

  it('counts on where the player has begun anew', () => {
    const bytes = (at: number) => (at < 22 ? 5e6 : at < 24 ? 10_000 : 90_000);
    expect(countOutages(outages, 1, { samples: samples(bytes), moments: [] })[0]!.usedAgain).toBe(4);
  });

  it('takes what a queue still held for no use, nor what comes after the next', () => {
    const bytes = (at: number) => (at < 20 ? 0 : at < 45 ? 50_000 : 1e6);
    const [first, second] = countOutages(outages, 1, { samples: samples(bytes), moments: [] });
    expect(first!.usedAgain).toBeNull();
    expect(second!.usedAgain).toBe(5);
  });
});
