import { expect, test } from 'vitest';
import { timeRanges } from '../../test/unit/time-ranges.js';
import { PlayheadWatch, type PlayingElement } from './playhead-watch.js';

/** At 21 s, with 1.1 s ahead. */
const element = (of: Partial<PlayingElement> = {}): PlayingElement => ({
  ...{
    buffered: timeRanges([2, 22.1]),
    currentTime: 21,
    paused: false,
    playbackRate: 1.04,
    readyState: 4,
    seeking: false,
  },
  ...of,
});

test('the playhead is where the element plays, on the time line of the media', () => {
  const watch = new PlayheadWatch();
  expect(watch.look(element(), 4, 1000)).toEqual({ mediaTime: 17, at: 1000, rate: 1.04, isWaiting: false });
  expect(watch.look(element({ currentTime: 21.1 }), 4, 1100)?.mediaTime).toBeCloseTo(17.1);
  expect(watch.look(element({ playbackRate: 0 }), 0, 1200)?.rate).toBe(1);
});

test('playback waits where the element has no picture to come', () => {
  const watch = new PlayheadWatch();
  expect(watch.look(element({ readyState: 2 }), 0, 0)?.isWaiting).toBe(true);
  expect(watch.look(element({ readyState: 3 }), 0, 0)?.isWaiting).toBe(false);
});

test('playback waits where it stands although there is something ahead', () => {
  const watch = new PlayheadWatch();
  const waiting = [0, 100, 299, 300, 5000].map((now) => watch.look(element(), 4, now)!.isWaiting);
  expect(waiting).toEqual([false, false, false, true, true]);
  expect(watch.look(element({ currentTime: 21.1 }), 4, 5100)?.isWaiting).toBe(false);
});

test('a paused element waits for nothing', () => {
  const watch = new PlayheadWatch();
  const paused = element({ paused: true, readyState: 2 });
  expect([0, 1000, 9000].map((now) => watch.look(paused, 0, now)?.isWaiting)).toEqual([false, false, false]);
  expect(watch.look(element(), 0, 9100)?.isWaiting).toBe(false);
});

test('there is no playhead while nothing is buffered, or a seek is under way', () => {
  const watch = new PlayheadWatch();
  expect(watch.look(undefined, 0, 0)).toBeUndefined();
  expect(watch.look(element({ buffered: timeRanges() }), 0, 0)).toBeUndefined();
  expect(watch.look(element({ seeking: true }), 0, 0)).toBeUndefined();
});
