import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SilenceWatch } from './silence-watch.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Looks every 50 ms for so long, and says whether the session was ever given up. */
async function watch(watcher: SilenceWatch, seconds: number, bytes: (at: number) => number): Promise<boolean> {
  for (let at = 0; at < seconds * 1000; at += 50) {
    await vi.advanceTimersByTimeAsync(50);
    if (watcher.look(bytes(at), performance.now())) return true;
  }
  return false;
}

it('gives up a silent session whose server answers over HTTP, three seconds later', async () => {
  const ask = vi.fn(() => Promise.resolve());
  const watcher = new SilenceWatch(ask, { bytes: 0 }, performance.now());
  expect(await watch(watcher, 2.9, () => 1000)).toBe(false);
  expect(await watch(watcher, 0.3, () => 1000)).toBe(true);
  expect(ask).toHaveBeenCalledOnce();
});

it('waits while nothing gets through, and asks again, each time later', async () => {
  const ask = vi.fn(() => Promise.reject(new Error('timeout')));
  expect(await watch(new SilenceWatch(ask, { bytes: 0 }, performance.now()), 30, () => 0)).toBe(false);
  expect(ask.mock.calls.length).toBeGreaterThan(1);
  // A server that is down says so in no time.
  expect(ask.mock.calls.length).toBeLessThanOrEqual(6);
});

it('asks nothing while bytes come, however slowly', async () => {
  const ask = vi.fn(() => Promise.resolve());
  const everySecondAndAHalf = (at: number): number => Math.floor(at / 1500);
  expect(await watch(new SilenceWatch(ask, { bytes: 0 }, performance.now()), 30, everySecondAndAHalf)).toBe(false);
  expect(ask).not.toHaveBeenCalled();
});

it('forgets the answer when the session goes on after an outage', async () => {
  const watcher = new SilenceWatch(() => Promise.resolve(), { bytes: 0 }, performance.now());
  const resumedAfter = (at: number): number => (at < 2500 ? 0 : at);
  expect(await watch(watcher, 10, resumedAfter)).toBe(false);
});

it('asks nothing while bytes come for another download of the session', async () => {
  const ask = vi.fn(() => Promise.resolve());
  const arrivals = { bytes: 0 };
  const other = new SilenceWatch(ask, arrivals, performance.now());
  const watcher = new SilenceWatch(ask, arrivals, performance.now());
  for (let at = 0; at < 30_000; at += 50) {
    await vi.advanceTimersByTimeAsync(50);
    other.look(Math.floor(at / 1500), performance.now());
    expect(watcher.look(0, performance.now())).toBe(false);
  }
  expect(ask).not.toHaveBeenCalled();
});
