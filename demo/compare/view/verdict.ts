import type { LaneKind, LaneNow } from '../types.js';

/** What is known of a player when all have ended. */
export interface LaneResult {
  readonly kind: LaneKind;
  readonly now: LaneNow;
  /** New pictures in a second of playback, and how long one stood at most, s. */
  readonly perSecond: number | undefined;
  readonly longestStill: number;
  /** Mean score; undefined: not known. */
  readonly score: number | undefined;
}

/** The result, one sentence for each player, once all have ended; before that none. What was saved in waits stands beside what it cost. */
export function verdict(lanes: readonly LaneResult[]): readonly string[] {
  if (!lanes.every(({ now }) => now.hasEnded)) return [];
  return lanes.map(({ kind, now, perSecond = 0, longestStill, score }) => {
    const picture = score === undefined ? '' : `, at SSIM ${score.toFixed(3)}`;
    const shown = `showed ${perSecond.toFixed(1)} pictures a second, one of them for ${longestStill.toFixed(1)} s`;
    return `${kind.title} waited ${now.waited.toFixed(1)} s and ${shown}${picture}.`;
  });
}
