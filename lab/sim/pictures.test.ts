import { expect, it } from 'vitest';
import { layOut } from './content/segment-layout.js';
import { deliveredSegment } from './delivered-segment.js';
import { segmentPictures } from './pictures.js';

/** Nine frames of 100 bytes behind the key frame, the most important first, which is also their order in time: ten pictures in two seconds. */
const SEGMENT = layOut({
  reliableBytes: 50,
  steps: [
    { score: 0.6, frames: 0, bytes: 0 },
    { score: 1, frames: 9, bytes: 900 },
  ],
});

const pictures = (sent: number, lost: readonly { start: number; end: number }[] = [], map = SEGMENT) =>
  segmentPictures(deliveredSegment(map, sent, lost), 2);

it('are all of a whole segment, each for its time', () => {
  expect(pictures(900)).toEqual({ pictures: 10, longestStill: 0.2 });
});

it('stand where frames are missing', () => {
  // Frames 4 and 5 are incomplete: the picture before them stands for three.
  const lost = pictures(900, [{ start: 350, end: 450 }]);
  expect(lost.pictures).toBe(8);
  expect(lost.longestStill).toBeCloseTo(0.6);
  // The last six are not sent: the fourth picture stands to the end.
  const cut = pictures(300);
  expect(cut.pictures).toBe(4);
  expect(cut.longestStill).toBeCloseTo(1.4);
  expect(pictures(0).longestStill).toBeCloseTo(2);
});

it('are missing with what they need', () => {
  const needs = SEGMENT.unreliable.map((_, index) => (index === 0 ? [] : [index - 1]));
  const found = pictures(900, [{ start: 500, end: 600 }], { ...SEGMENT, needs });
  expect(found.pictures).toBe(6);
  expect(found.longestStill).toBeCloseTo(1);
});
