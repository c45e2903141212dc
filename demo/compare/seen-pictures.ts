import type { FrameState } from '../../player/api/types.js';
import { playingSpans } from './timeline.js';
import type { Moment, ShownSegment } from './types.js';

/** A picture that stays longer than this is seen to stand still, s: five pictures of 25 a second. */
export const STILL_SECONDS = 0.2;

/** What a viewer got to see of a playback: what is saved in waits is paid here. */
export interface SeenPictures {
  /** New pictures in a second of playback, waits left out; undefined: nothing has been played. */
  readonly perSecond: number | undefined;
  /** How long one picture stood at most, s, waits after the first picture included. */
  readonly longestStill: number;
  /** Share of the time since the first picture in which one stood for more than `STILL_SECONDS`. */
  readonly stillShare: number;
  /** These stretches, `[start, end]` in seconds since the start. */
  readonly stills: readonly (readonly [number, number])[];
}

/**
 * Counts the pictures of a playback up to its last moment. A frame that was skipped or lost is no new picture: what stands in its place repeats or
 * mixes those beside it. Frames count in decode order, which differs from the order of display by a few frames.
 */
export function seenPictures(moments: readonly Moment[], segments: readonly ShownSegment[]): SeenPictures {
  const spans = playingSpans(moments);
  const first = spans[0]?.start;
  if (first === undefined) return { perSecond: undefined, longestStill: 0, stillShare: 0, stills: [] };
  const times = spans.flatMap(({ start, end, position }) =>
    newPictures(segments, position, position + end - start).map((media) => start + media - position),
  );
  const end = moments.at(-1)!.at;
  const changes = [first, ...times, end];
  const gaps = changes.slice(1).map((at, index) => [changes[index]!, at] as const);
  const stills = gaps.filter(([from, to]) => to - from > STILL_SECONDS);
  return {
    perSecond: times.length / spans.reduce((sum, span) => sum + span.end - span.start, 0),
    longestStill: Math.max(...gaps.map(([from, to]) => to - from)),
    stillShare: stills.reduce((sum, [from, to]) => sum + to - from, 0) / Math.max(end - first, STILL_SECONDS),
    stills,
  };
}

/** Media times of the pictures that came, from `start` up to `end`, s. */
function newPictures(segments: readonly ShownSegment[], start: number, end: number): number[] {
  return segments.flatMap(({ frames, startTime, duration }) =>
    startTime >= end || startTime + duration <= start
      ? []
      : frames.flatMap((state, frame) => {
          const media = startTime + (duration * frame) / frames.length;
          return hasCome(state) && media >= start && media < end ? [media] : [];
        }),
  );
}

function hasCome(state: FrameState): boolean {
  return state === 'reliable' || state === 'complete';
}
