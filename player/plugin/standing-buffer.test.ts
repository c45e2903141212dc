import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { timeRanges } from '../../test/unit/time-ranges.js';
import { StandingBuffer } from './standing-buffer.js';

/** Playback at .34 s with two segments of 4 s, as Chromium has it where removal left one frame of the second. */
const standing = {
  ...{ buffered: timeRanges([0, 8]), currentTime: 0.34, duration: 8, paused: false, readyState: 2, seeking: false },
};
const end = vi.fn(() => Promise.resolve());
const holdMoreThan = vi.fn<(seconds: number) => void>();
let element: typeof standing | undefined;
let watch: StandingBuffer;

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  element = { ...standing };
  const video = {
    get element() {
      return element as HTMLMediaElement | undefined;
    },
    end,
  };
  watch = new StandingBuffer({ video, settings: { holdMoreThan } });
  return () => vi.useRealTimers();
});

afterEach(() => watch.stop());

const look = (): number | undefined => {
  vi.advanceTimersByTime(500);
  return holdMoreThan.mock.lastCall?.[0];
};

test('a player asks for more while playback stands in front of a full buffer', () => {
  expect(look()).toBeUndefined();
  expect(look()).toBeCloseTo(7.66);
  Object.assign(element!, { buffered: timeRanges([0, 12]) });
  expect(look()).toBeCloseTo(11.66);
  Object.assign(element!, { readyState: 4 });
  expect(look()).toBe(0);
});

test.each([
  ['that moves on', () => (element!.currentTime += 0.4)],
  ['that is paused', () => (element!.paused = true)],
  ['that is seeking', () => (element!.seeking = true)],
  ['that waits for what is not here', () => (element!.buffered = timeRanges([0, 0.4], [4, 8]))],
  ['without an element', () => (element = undefined)],
])('nothing more is asked for by playback %s', (_, change) => {
  look();
  change();
  expect(look() ?? 0).toBe(0);
});

test.each([
  ['it stands just before that', { currentTime: 7.99 }, 1],
  ['it plays before that', { currentTime: 6.5, readyState: 4 }, 1],
  ['its place is not near the end', { currentTime: 5.9, readyState: 4 }, 0],
  ['it has ended', { currentTime: 8, paused: true }, 0],
  ['it seeks', { currentTime: 7.5, seeking: true }, 0],
  ['there is no end', { currentTime: 7.5, duration: Infinity }, 0],
])('the browser is told of the end where %s', (_, change, times) => {
  Object.assign(element!, change);
  look();
  expect(end).toHaveBeenCalledTimes(times);
  expect(holdMoreThan.mock.lastCall?.[0] ?? 0).toBe(0);
});

test('nothing is looked at once it is stopped', () => {
  watch.stop();
  look();
  expect(look()).toBeUndefined();
});
