import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeFrames, frameRuns, frameStates } from './frame-runs.js';

describe('frameRuns', () => {
  it('joins neighbours of one state', () => {
    expect(frameRuns(['reliable', 'complete', 'complete', 'skipped', 'skipped'], [4])).toEqual([
      { state: 'reliable', isHeld: false, start: 0, count: 1 },
      { state: 'complete', isHeld: false, start: 1, count: 2 },
      { state: 'skipped', isHeld: false, start: 3, count: 1 },
      { state: 'skipped', isHeld: true, start: 4, count: 1 },
    ]);
  });

  it('says every frame once, in order, in the longest runs', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...frameStates)), (frames) => {
        const runs = frameRuns(frames, []);
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
    expect(describeFrames(['reliable', 'complete', 'repaired', 'complete'], [])).toBe(
      '4 frames: 1 reliable; 2 arrived; 1 lost, repaired',
    );
    expect(describeFrames(['reliable', 'repaired', 'skipped'], [2])).toBe(
      '3 frames: 1 reliable; 1 skipped on purpose; 1 lost, repaired; for 1 of them the picture before it is held',
    );
  });
});
