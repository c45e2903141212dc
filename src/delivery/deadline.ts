/** Seconds of buffer below which a deadline would only take away what the rule has just chosen with that in mind. */
const LEAST_BUFFER = 0.5;

/**
 * Milliseconds that a segment may take before the buffer runs out, for `x-voxel-deadline`. Undefined: none, because
 * nothing plays (rate 0) or because playback stands anyway.
 */
export function deadlineOf(bufferLevel: number, playbackRate: number): number | undefined {
  if (!(playbackRate > 0) || bufferLevel < LEAST_BUFFER) return undefined;
  return Math.round((bufferLevel / playbackRate) * 1000);
}
