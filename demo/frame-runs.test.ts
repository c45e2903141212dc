import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFrames, frameRuns, frameStates } from './frame-runs.js';

describe('frameRuns', () => {
  it('joins neighbours of one state', () => {
    expect(frameRuns(['reliable', 'complete', 'complete', 'skipped', 'complete'])).toEqual([
      { state: 'reliable', start: 0, count: 1 },
      { state: 'complete', start: 1, count: 2 },
      { state: 'skipped', start: 3, count: 1 },
      { state: 'complete', start: 4, count: 1 },
    ]);
  });

  it('says every frame once, in order, in the longest runs', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...frameStates)), (frames) => {
        const runs = frameRuns(frames);
        expect(runs.flatMap(({ state, count }) => Array<string>(count).fill(state))).toEqual(frames);
        runs.slice(1).forEach((run, index) => {
          expect(run.state).not.toBe(runs[index]!.state);
          expect(run.start).toBe(runs[index]!.start + runs[index]!.count);
        });
      }),
    );
  });
});

describe('describeFrames', () => {
  it('counts each state that occurs', () => {
    expect(describeFrames(['reliable', 'complete', 'repaired', 'complete'])).toBe(
      '4 frames: 1 reliable; 2 arrived; 1 lost, repaired',
    );
  });
});
