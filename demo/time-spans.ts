/** A span of media time, `[start, end]` in seconds. */
export type TimeSpan = readonly [start: number, end: number];

/** Seconds in all `spans` together. */
export function totalSeconds(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, [start, end]) => sum + (end - start), 0);
}
