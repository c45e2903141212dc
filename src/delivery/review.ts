import type { QualityStep } from '../manifest/segment-map.js';

/** Seconds between two reviews of a download (thesis §6.3). */
export const REVIEW_INTERVAL = 0.05;

/** The highest virtual level that `bytes` of a segment's unreliable part are enough for; 0 where they are for none. */
export function levelReached(steps: readonly QualityStep[], bytes: number): number {
  let level = steps.length - 1;
  while (level > 0 && steps[level]!.bytes > bytes) level--;
  return level;
}
