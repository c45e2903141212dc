import { expect, it } from 'vitest';
import type { FrameState } from '../../player/api/types.js';
import { seenPictures } from './seen-pictures.js';
import type { ShownSegment } from './types.js';

/** Two seconds with ten frames each. `states`: r, c, s or x. */
function segments(...states: string[]): ShownSegment[] {
  const names: Record<string, FrameState> = { r: 'reliable', c: 'complete', s: 'skipped', x: 'repaired' };
  return states.map((letters, index) => ({
    ...{ index, startTime: index, duration: 1, representation: 'q00', score: 0.9, bytes: 1 },
    frames: Array.from(letters, (letter) => names[letter]!),
  }));
}

/** Starts at 1 s and plays for 2 s, with a wait of `wait` seconds after the first. */
const moments = (wait: number) => [
  { at: 0, position: 0, waited: 0 },
  { at: 1, position: 0, waited: 1 },
  { at: 2, position: 1, waited: 1 },
  ...(wait > 0 ? [{ at: 2 + wait, position: 1, waited: 1 + wait }] : []),
  { at: 3 + wait, position: 2, waited: 1 + wait },
];

it('counts pictures that came, in the time of playback, and neither start-up nor those that stand for others', () => {
  expect(seenPictures(moments(0), segments('rccccccccc', 'rccccccccc'))).toMatchObject({
    perSecond: 10,
    stillShare: 0,
  });
  expect(seenPictures(moments(0), segments('rccccccccc', 'rcsssssxsc')).perSecond).toBe(6.5);
});

it('has how long a picture stood, whether its successors were left out or waited for', () => {
  const skipped = seenPictures(moments(0), segments('rccccccccc', 'rcssssssss'));
  expect(skipped.longestStill).toBeCloseTo(0.9);
  expect(skipped.stillShare).toBeCloseTo(0.45);
  expect(skipped.stills).toHaveLength(1);
  const waited = seenPictures(moments(3), segments('rccccccccc', 'rccccccccc'));
  expect(waited.longestStill).toBeCloseTo(3.1);
  expect(waited.perSecond).toBe(10);
});

it('says nothing of a playback that has not begun', () => {
  expect(seenPictures([{ at: 0, position: 0, waited: 0 }], [])).toMatchObject({ perSecond: undefined, stills: [] });
});
