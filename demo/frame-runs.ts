import type { FrameState } from '../player/api/types.js';

export const frameStates: readonly FrameState[] = ['reliable', 'complete', 'skipped', 'repaired'];

/** What a viewer is told about a frame in that state. */
export const frameStateNames: Readonly<Record<FrameState, string>> = {
  reliable: 'reliable',
  complete: 'arrived',
  skipped: 'skipped on purpose',
  repaired: 'lost, repaired',
};

/** Neighbouring frames of one state. */
export interface FrameRun {
  readonly state: FrameState;
  /** Position of the first in decode order. */
  readonly start: number;
  readonly count: number;
}

/** Joins neighbours of the same state. */
export function frameRuns(frames: readonly FrameState[]): FrameRun[] {
  const runs: FrameRun[] = [];
  let start = 0;
  frames.forEach((state, index) => {
    if (frames[index + 1] === state) return;
    runs.push({ state, start, count: index + 1 - start });
    start = index + 1;
  });
  return runs;
}

/** One sentence for those who do not see the colours: `96 frames: 1 reliable; 95 arrived`. */
export function describeFrames(frames: readonly FrameState[]): string {
  const parts = frameStates.map((state) => ({ state, count: frames.filter((frame) => frame === state).length }));
  const present = parts
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${frameStateNames[state]}`);
  return `${frames.length} frames: ${present.join('; ')}`;
}
