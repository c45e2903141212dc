import { expect, it } from 'vitest';
import type { DeliveredSegment, ShownPicture } from './page/types.js';
import { isNewPicture, shownPictures } from './shown-pictures.js';

/** Four pictures a second of two seconds of media, shown from `at` on, ms. */
const shown = (at: number, mediaTime: number): ShownPicture[] =>
  Array.from({ length: 8 }, (_, index) => [at + 250 * index, mediaTime + index / 4, 1 + 4 * mediaTime + index]);

const seen = (pictures: readonly ShownPicture[], changes: object = {}) =>
  shownPictures({ pictures, isNew: () => true, span: { from: 0, to: 5000 }, stallSeconds: 0, ...changes });

it('are counted in the time of playback, and the longest one stands through a stall', () => {
  // The first at 1 s, a second of stall at 3 s, the last at 5.75 s, over at 6 s: 16 pictures in 4 s that are not stalled.
  const pictures = [...shown(1000, 0), ...shown(4000, 2)];
  const found = seen(pictures, { span: { from: 0, to: 6000 }, stallSeconds: 1 })!;
  expect(found).toEqual({ longestStill: 1.25, picturesPerSecond: 4 });
});

it('are not new where frames are missing', () => {
  const segment = { startTime: 0, duration: 2, frames: 'rcssxccc' } as DeliveredSegment;
  const isNew = isNewPicture([segment]);
  const found = seen(shown(1000, 0), { isNew, span: { from: 0, to: 3000 } })!;
  expect(found).toEqual({ longestStill: 1, picturesPerSecond: 2.5 });
  expect(isNewPicture([{ ...segment, frames: '' }])(0.6)).toBe(true);
});

it('do not stand for less than the longest stall, however many pictures the page was not told of', () => {
  const pictures: ShownPicture[] = [...shown(1000, 0), [5750, 2.75, 12], [6000, 3, 13]];
  const span = { from: 0, to: 6000 };
  expect(seen(pictures, { span, stallSeconds: 2 })!.longestStill).toBe(0.75);
  expect(seen(pictures, { span, stallSeconds: 2, longestStall: 2 })!.longestStill).toBe(2);
});

it('are unknown where none was shown', () => {
  expect(seen([])).toBeUndefined();
});
