import { describe, expect, it } from 'vitest';
import type { FrameState } from '../../player/api/types.js';
import { firstFrame, frameAt, frameBeside, nextReplaced, shownRuns } from './shown-frames.js';
import type { ShownSegment } from './types.js';

const segment = (index: number, frames: FrameState[]): ShownSegment => ({
  ...{ index, startTime: 2 * index, duration: 2, representation: 'q00', frames, score: 0.9, bytes: 100 },
});

const segments = [
  segment(0, ['complete', 'complete', 'skipped', 'skipped']),
  segment(1, ['complete', 'repaired', 'complete', 'complete']),
];

describe('shownRuns', () => {
  it('puts frames where they were seen, around a stall', () => {
    const spans = [
      { start: 1, end: 2.5, position: 0 },
      { start: 5, end: 7.5, position: 1.5 },
    ];
    expect(shownRuns(spans, segments)).toEqual([
      { state: 'complete', start: 1, end: 2 },
      { state: 'skipped', start: 2, end: 2.5 },
      { state: 'skipped', start: 5, end: 5.5 },
      { state: 'complete', start: 5.5, end: 6 },
      { state: 'repaired', start: 6, end: 6.5 },
      { state: 'complete', start: 6.5, end: 7.5 },
    ]);
  });
});

describe('frames', () => {
  it('are found by their time', () => {
    expect(frameAt(segments, 2.6)).toEqual({ segment: segments[1], frame: 1 });
    expect(frameAt(segments, 99)).toBeUndefined();
  });

  it('begin with the first there is, wherever a live playback began', () => {
    expect(firstFrame([segment(6, []), segments[1]!])).toEqual({ segment: segments[1], frame: 0 });
    expect(firstFrame([])).toBeUndefined();
  });

  it('have neighbours across segments, and stop at the ends', () => {
    const last = { segment: segments[0]!, frame: 3 };
    expect(frameBeside(segments, last, 1)).toEqual({ segment: segments[1], frame: 0 });
    expect(frameBeside(segments, { segment: segments[1]!, frame: 0 }, -1)).toEqual(last);
    expect(frameBeside(segments, { segment: segments[1]!, frame: 3 }, 1)).toEqual({ segment: segments[1], frame: 3 });
  });

  it('that were replaced follow each other, around the end', () => {
    expect(nextReplaced(segments, { segment: segments[0]!, frame: 3 })).toEqual({ segment: segments[1], frame: 1 });
    expect(nextReplaced(segments, { segment: segments[1]!, frame: 1 })).toEqual({ segment: segments[0], frame: 2 });
    expect(nextReplaced([segment(0, ['complete'])], { segment: segment(0, ['complete']), frame: 0 })).toBeUndefined();
  });
});
