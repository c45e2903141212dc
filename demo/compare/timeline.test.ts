import { describe, expect, it } from 'vitest';
import { isFrozenAt, momentAt, playingSpans, waitingSpans } from './timeline.js';

/** Starts at 1 s, plays 2 s, waits 1 s, plays on. */
const moments = [
  { at: 0, position: 0, waited: 0 },
  { at: 1, position: 0, waited: 1 },
  { at: 2, position: 1, waited: 1 },
  { at: 3, position: 2, waited: 1 },
  { at: 4, position: 2, waited: 2 },
  { at: 5, position: 3, waited: 2 },
];

describe('a timeline', () => {
  it('says where playback stood between two moments', () => {
    expect(momentAt(moments, 2.5)).toEqual({ at: 2.5, position: 1.5, waited: 1 });
    expect(momentAt(moments, 3.25)).toEqual({ at: 3.25, position: 2, waited: 1.25 });
  });

  it('stays where it began and ended', () => {
    expect(momentAt(moments, -1)).toMatchObject({ position: 0, waited: 0 });
    expect(momentAt(moments, 99)).toMatchObject({ position: 3, waited: 2 });
  });

  it('is frozen while playback waits, and only then', () => {
    expect([0.5, 1.5, 2.5, 3.5, 4.5].map((at) => isFrozenAt(moments, at))).toEqual([true, false, false, true, false]);
  });

  it('has the stretches that were played, joined, and those that were waited', () => {
    expect(playingSpans(moments)).toEqual([
      { start: 1, end: 3, position: 0 },
      { start: 4, end: 5, position: 2 },
    ]);
    expect(waitingSpans(moments)).toEqual([
      [0, 1],
      [3, 4],
    ]);
  });

  it('begins another stretch where playback jumps', () => {
    const jump = [...moments, { at: 6, position: 9, waited: 2 }, { at: 7, position: 10, waited: 2 }];
    expect(playingSpans(jump).at(-1)).toEqual({ start: 6, end: 7, position: 9 });
  });
});
