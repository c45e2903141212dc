import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { timeRanges } from '../../test/unit/time-ranges.js';
import { StandingBuffer } from './standing-buffer.js';

/** Playback at .34 s with two segments of 4 s, as Chromium has it where removal left one frame of the second. */
const standing = {
  ...{ buffered: timeRanges([0, 8]), currentTime: 0.34, duration: 8, paused: false, readyState: 2, seeking: false },
};
const end = vi.fn(() => Promise.resolve());
const holdMoreThan = vi.fn<(seconds: number) => void>();
const mayJumpToEnd = vi.fn<(may: boolean) => void>();
let period = { secondsToEnd: NaN, isComplete: false };
let element: typeof standing | undefined;
let watch: StandingBuffer;

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  element = { ...standing };
  period = { secondsToEnd: NaN, isComplete: false };
  const video = {
    get secondsToEnd() {
      return period.secondsToEnd;
    },
    get isComplete() {
      return period.isComplete;
    },
    get element() {
      return element as HTMLMediaElement | undefined;
    },
    end,
  };
  watch = new StandingBuffer({ video, settings: { holdMoreThan, mayJumpToEnd } });
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

test.each([
  ['more is to come', { currentTime: 7, readyState: 4 }, { secondsToEnd: 1 }, false],
  ['more is to come and playback stands', { buffered: timeRanges([0, 7]), currentTime: 7 }, { secondsToEnd: 1 }, false],
  ['the rest is here', { currentTime: 7, readyState: 4 }, { secondsToEnd: 1, isComplete: true }, false],
  ['the media is shorter', { currentTime: 8 }, { secondsToEnd: 1, isComplete: true }, true],
  ['it is further away', { currentTime: 5, readyState: 4 }, { secondsToEnd: 3 }, true],
  ['the viewer has paused', { currentTime: 7, paused: true }, { secondsToEnd: 1 }, true],
  ['there is none', { currentTime: 7, readyState: 4 }, { secondsToEnd: Infinity }, true],
])('whether the player may jump to the end where %s', (_, change, of, may) => {
  Object.assign(element!, change);
  Object.assign(period, of);
  look();
  look();
  expect(mayJumpToEnd.mock.lastCall).toEqual([may]);
});

test('the player jumps over what does not come before the end within ten seconds', () => {
  Object.assign(element!, { currentTime: 7 });
  period.secondsToEnd = 1;
  for (let looks = 0; looks < 20; looks++) look();
  expect(mayJumpToEnd.mock.lastCall).toEqual([false]);
  look();
  expect(mayJumpToEnd.mock.lastCall).toEqual([true]);
});

test('nothing is looked at once it is stopped', () => {
  watch.stop();
  look();
  expect(look()).toBeUndefined();
});
