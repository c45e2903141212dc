import type { FrameState } from '../player/api/types.js';

export const frameStates: readonly FrameState[] = ['reliable', 'complete', 'skipped', 'repaired'];

/** What a viewer is told about a frame in that state. */
export const frameStateNames: Readonly<Record<FrameState, string>> = {
  reliable: 'reliable',
  complete: 'arrived',
  skipped: 'skipped on purpose',
  repaired: 'lost, repaired',
};

/** What is said of those of them that were taken out. */
export const HELD = 'the picture before it is held';

/** Neighbouring frames of one state, all taken out or none. */
export interface FrameRun {
  readonly state: FrameState;
  readonly isHeld: boolean;
  /** Position of the first in decode order. */
  readonly start: number;
  readonly count: number;
}

/** Joins neighbours of the same state. `removed`: places of those that were taken out. */
export function frameRuns(frames: readonly FrameState[], removed: readonly number[]): FrameRun[] {
  const held = new Set(removed);
  const runs: FrameRun[] = [];
  let start = 0;
  frames.forEach((state, index) => {
    const isHeld = held.has(index);
    if (frames[index + 1] === state && held.has(index + 1) === isHeld) return;
    runs.push({ state, isHeld, start, count: index + 1 - start });
    start = index + 1;
  });
  return runs;
}

/** One sentence for those who do not see the colours: `96 frames: 1 reliable; 95 arrived`. */
export function describeFrames(frames: readonly FrameState[], removed: readonly number[]): string {
  const parts = frameStates.map((state) => ({ state, count: frames.filter((frame) => frame === state).length }));
  const present = parts
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${frameStateNames[state]}`);
  if (removed.length > 0) present.push(`for ${removed.length} of them ${HELD}`);
  return `${frames.length} frames: ${present.join('; ')}`;
}
