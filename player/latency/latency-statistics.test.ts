import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LatencyStatistics, type LatencySummary } from './latency-statistics.js';

const STEP = 40;

/** To what figures of milliseconds can be compared. */
const rounded = (summary: LatencySummary) =>
  Object.fromEntries(
    Object.entries(summary).map(([name, value]) => [name, value && Math.round(value * 1e6) / 1e6] as const),
  );

let shown = 0;

/** Pictures of 25 fps, each `latency` ms old; returns when the last one was shown. */
function play(statistics: LatencyStatistics, { from = 0, count = 50, latency = 1000 } = {}): number {
  for (let at = from; at < from + count * STEP; at += STEP)
    statistics.add({ at, latency, mediaTime: (at - latency) / 1000, count: shown++ });
  return from + (count - 1) * STEP;
}

it('is what the pictures say while each follows in time', () => {
  const statistics = new LatencyStatistics();
  const end = play(statistics);
  expect(rounded(statistics.summary(end + STEP))).toEqual({ latency: 1, mean: 1, p95: 1, seconds: 2 });
});

it('knows nothing before the first picture', () => {
  const nothing = { latency: undefined, mean: undefined, p95: undefined, seconds: 0 };
  expect(new LatencyStatistics().summary(1000)).toEqual(nothing);
});

it('grows with the clock while no picture follows', () => {
  const statistics = new LatencyStatistics();
  const end = play(statistics);
  const { latency, mean, p95, seconds } = statistics.summary(end + STEP + 2000);
  expect(latency).toBeCloseTo(3);
  expect(seconds).toBeCloseTo(4);
  // Half the time at 1 s, the other half at 2 s on average.
  expect(mean).toBeCloseTo(1.5);
  expect(p95).toBeCloseTo(2.8, 2);
});

it('counts a stall once, whether it was looked at meanwhile or not', () => {
  const [watched, alone] = [new LatencyStatistics(), new LatencyStatistics()];
  for (const statistics of [watched, alone]) {
    const end = play(statistics);
    if (statistics === watched) for (let now = end; now < end + 1000; now += 100) statistics.summary(now);
    play(statistics, { from: end + STEP + 1000, latency: 2000 });
  }
  expect(rounded(watched.summary(9000))).toEqual(rounded(alone.summary(9000)));
});

it('goes down at once where playback jumps to the live edge', () => {
  const statistics = new LatencyStatistics();
  const end = play(statistics);
  const now = play(statistics, { from: end + STEP + 1000, latency: 1000 });
  const { latency, mean, seconds } = statistics.summary(now);
  expect(latency).toBe(1);
  expect(seconds).toBeCloseTo(1.96 + 1.04 + 1.96);
  // The last picture before the jump became 2.04 s old.
  expect(mean! * seconds).toBeCloseTo(1.96 + 1.04 * 1.52 + 1.96);
});

it('takes pictures of which a busy page was not told for shown', () => {
  const statistics = new LatencyStatistics();
  statistics.add({ at: 0, latency: 1000, mediaTime: 0, count: 1 });
  statistics.add({ at: 400, latency: 1000, mediaTime: 0.4, count: 11 });
  expect(statistics.summary(400).mean).toBe(1);
});

it('leaves out the time in which nothing was to be shown', () => {
  const statistics = new LatencyStatistics();
  const end = play(statistics);
  statistics.interrupt(end + STEP);
  expect(rounded(statistics.summary(end + 60_000))).toMatchObject({ latency: undefined, mean: 1, seconds: 2 });
  play(statistics, { from: end + 60_000, latency: 3000 });
  expect(rounded(statistics.summary(end + 60_000 + 2000))).toMatchObject({ latency: 3, mean: 2, p95: 3, seconds: 4 });
});

it('keeps its memory small on a page that was forgotten', () => {
  const statistics = new LatencyStatistics();
  play(statistics, { count: 2 });
  const { latency, p95, seconds } = statistics.summary(1e9);
  expect(latency).toBeGreaterThan(999_000);
  expect(seconds).toBeCloseTo(1e6);
  expect(p95).toBe(60);
});

it('has a mean between the shortest and the longest latency, and measures all of the time', () => {
  const frames = fc.array(
    fc.record({ gap: fc.integer({ min: 1, max: 3000 }), latency: fc.integer({ min: -50, max: 5000 }) }),
    { minLength: 2, maxLength: 40 },
  );
  fc.assert(
    fc.property(frames, (described) => {
      const statistics = new LatencyStatistics();
      let at = 0;
      for (const [count, { gap, latency }] of described.entries())
        statistics.add({ at: (at += gap), latency, mediaTime: (at - latency) / 1000, count });
      const { mean, p95, seconds } = statistics.summary(at);
      const latencies = described.slice(0, -1).map(({ latency }) => latency / 1000);
      const longest = Math.max(...described.slice(1).map(({ gap }, index) => latencies[index]! + gap / 1000));
      expect(seconds).toBeCloseTo((at - described[0]!.gap) / 1000);
      expect(mean!).toBeGreaterThanOrEqual(Math.min(...latencies) - 1e-9);
      expect(mean!).toBeLessThanOrEqual(longest + 1e-9);
      expect(p95!).toBeGreaterThanOrEqual(Math.min(...latencies) - 0.001);
      expect(p95!).toBeLessThanOrEqual(longest + 0.001);
    }),
  );
});
