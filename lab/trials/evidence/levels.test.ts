import { describe, expect, it } from 'vitest';
import { CHAPTERS_4_AND_5 } from './claims/chapters-4-5.js';
import { droppable, mostDroppable, type Level, type LevelSegment } from './levels.js';

const SEGMENT: LevelSegment = {
  bytes: 1000,
  score: 1,
  frames: 101,
  referenced: 50,
  droppable: {
    original: { '0.99': [5, 4, 60, 0, 0, 5], '0.95': [10, 5, 300, 0, 0, 10] },
    chained: { '0.99': [12, 3, 90, 4, 4, 4], '0.95': [8, 5, 200, 3, 3, 2] },
  },
};

const line = (clip: string, droppedFrames: number): Level => ({
  clip,
  level: 'top',
  indexBytes: 100,
  segments: [{ ...SEGMENT, droppable: { chained: { '0.99': [droppedFrames, 3, 90, 4, 4, 4] } } }],
});

describe('a segment', () => {
  it('is judged in the order that saves most bytes at the target', () => {
    expect(mostDroppable(SEGMENT, 0.99)).toEqual({ frames: 12, referenced: 3, bytes: 90, thirds: [4, 4, 4] });
    expect(mostDroppable(SEGMENT, 0.95)).toEqual(droppable(SEGMENT, 'original', 0.95));
  });

  it('that does not reach a target has nothing to drop there', () => {
    expect(mostDroppable(SEGMENT, 0.88)).toBeUndefined();
    expect(droppable(SEGMENT, 'summed', 0.99)).toBeUndefined();
  });
});

describe('a claim about content', () => {
  const [tolerance] = CHAPTERS_4_AND_5;

  it('is judged by the clip that bears it out least', () => {
    expect(tolerance?.ofContent?.([line('a', 30), line('b', 12)])).toMatchObject({
      ours: '12 % to 30 %: the clips’ medians',
      verdict: 'reproduced',
      sessions: 2,
    });
    expect(tolerance?.ofContent?.([line('a', 30), line('b', 9)])?.verdict).toBe('not reproduced');
    expect(tolerance?.ofContent?.([line('a', 30), line('b', 21)])?.verdict).toBe('beaten');
  });

  it('has no verdict without lines', () => {
    for (const { ofContent } of CHAPTERS_4_AND_5) expect(ofContent?.([])).toBeUndefined();
  });
});
