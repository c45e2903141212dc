import type { Moment } from './types.js';

/** A stretch in which playback went on without a break. */
export interface PlayingSpan {
  /** Seconds since the start. */
  readonly start: number;
  readonly end: number;
  /** Media time at the start of the stretch, s. */
  readonly position: number;
}

/** A jump of the media time that is larger than what clocks differ by, s. */
const JUMP = 0.25;

/** Where playback stood at a time between two moments, or at the nearer end of all. Moments ascend; there is at least one. */
export function momentAt(moments: readonly Moment[], at: number): Moment {
  const next = firstAfter(moments, at);
  const after = moments[next];
  const before = moments[next - 1];
  if (!before) return { ...after!, at };
  if (!after) return { ...before, at };
  const share = (at - before.at) / (after.at - before.at);
  return {
    at,
    position: before.position + share * (after.position - before.position),
    waited: before.waited + share * (after.waited - before.waited),
  };
}

/** Whether playback waited at that time: more of the moments around it was waiting than not. */
export function isFrozenAt(moments: readonly Moment[], at: number): boolean {
  const next = Math.max(1, firstAfter(moments, at));
  const before = moments[next - 1];
  const after = moments[next];
  return before !== undefined && after !== undefined && isWaiting(before, after);
}

/** The stretches of a playback between its waits. */
export function playingSpans(moments: readonly Moment[]): PlayingSpan[] {
  const spans: PlayingSpan[] = [];
  moments.forEach((after, index) => {
    const before = moments[index - 1];
    if (!before || isWaiting(before, after) || after.position <= before.position) return;
    const span = spans.at(-1);
    const expected = span && span.position + before.at - span.start;
    const goesOn = span && span.end === before.at && Math.abs(before.position - expected!) < JUMP;
    if (goesOn) spans[spans.length - 1] = { ...span, end: after.at };
    else spans.push({ start: before.at, end: after.at, position: before.position });
  });
  return spans;
}

/** The stretches in which playback waited, `[start, end]` in seconds since the start. */
export function waitingSpans(moments: readonly Moment[]): (readonly [number, number])[] {
  const spans: (readonly [number, number])[] = [];
  moments.forEach((after, index) => {
    const before = moments[index - 1];
    if (!before || !isWaiting(before, after)) return;
    const [start, end] = spans.at(-1) ?? [NaN, NaN];
    if (end === before.at) spans[spans.length - 1] = [start, after.at];
    else spans.push([before.at, after.at]);
  });
  return spans;
}

function isWaiting(before: Moment, after: Moment): boolean {
  return after.waited - before.waited > (after.at - before.at) / 2;
}

/** Index of the first moment after `at`. */
function firstAfter(moments: readonly Moment[], at: number): number {
  let low = 0;
  let high = moments.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moments[middle]!.at > at) high = middle;
    else low = middle + 1;
  }
  return low;
}
