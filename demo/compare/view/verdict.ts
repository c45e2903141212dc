import type { LaneKind, LaneNow } from '../types.js';

/** The result in one sentence, once all have ended; before that nothing. */
export function verdict(lanes: readonly { readonly kind: LaneKind; readonly now: LaneNow }[]): string {
  if (lanes.length === 0 || !lanes.every(({ now }) => now.hasEnded)) return '';
  const parts = lanes.map(({ kind, now }) => `${kind.title} waited ${now.waited.toFixed(1)} s`);
  return `${parts.join('; ')}.`;
}
