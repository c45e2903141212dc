import type { FrameState } from '../../player/api/types.js';
import { frameRuns } from '../frame-runs.js';
import type { PlayingSpan } from './timeline.js';
import type { ShownSegment } from './types.js';

/** Neighbouring frames of one state, as they stood on the screen. */
export interface ShownRun {
  readonly state: FrameState;
  /** Seconds since the start. */
  readonly start: number;
  readonly end: number;
}

/** A frame of a playback. */
export interface FramePlace {
  readonly segment: ShownSegment;
  /** Its place in the segment, in decode order. */
  readonly frame: number;
}

/** When the frames of the segments were seen. In decode order, which differs from the order of display by a few frames. */
export function shownRuns(spans: readonly PlayingSpan[], segments: readonly ShownSegment[]): ShownRun[] {
  return spans.flatMap((span) => {
    const toWall = (media: number) => span.start + media - span.position;
    const until = span.position + span.end - span.start;
    const seen = segments.filter(
      ({ startTime, duration }) => startTime < until && startTime + duration > span.position,
    );
    return seen.flatMap(({ frames, startTime, duration }) =>
      frameRuns(frames, []).flatMap(({ state, start, count }) => {
        const from = Math.max(startTime + (duration * start) / frames.length, span.position);
        const to = Math.min(startTime + (duration * (start + count)) / frames.length, until);
        return to > from ? [{ state, start: toWall(from), end: toWall(to) }] : [];
      }),
    );
  });
}

/** The frame at a media time. */
export function frameAt(segments: readonly ShownSegment[], position: number): FramePlace | undefined {
  const segment = segments.find(({ startTime, duration }) => position >= startTime && position < startTime + duration);
  if (!segment) return undefined;
  const { frames, startTime, duration } = segment;
  const frame = Math.min(frames.length - 1, Math.floor((frames.length * (position - startTime)) / duration));
  return frame < 0 ? undefined : { segment, frame };
}

/** The first frame; undefined: there is none. A live playback does not begin at media time 0. */
export function firstFrame(segments: readonly ShownSegment[]): FramePlace | undefined {
  const segment = segments.find(({ frames }) => frames.length > 0);
  return segment && { segment, frame: 0 };
}

/** The frame so many further on; the nearest end where there are no more. */
export function frameBeside(
  segments: readonly ShownSegment[],
  { segment, frame }: FramePlace,
  step: 1 | -1,
): FramePlace {
  const next = frame + step;
  if (next >= 0 && next < segment.frames.length) return { segment, frame: next };
  const neighbour = segments[segments.findIndex(({ index }) => index === segment.index) + step];
  if (!neighbour || neighbour.frames.length === 0) return { segment, frame };
  return { segment: neighbour, frame: step > 0 ? 0 : neighbour.frames.length - 1 };
}

/** The next frame that was skipped or lost, from the start again after the last; undefined: there is none. */
export function nextReplaced(segments: readonly ShownSegment[], from: FramePlace): FramePlace | undefined {
  const places = segments.flatMap((segment) =>
    segment.frames.flatMap((state, frame) => (isReplaced(state) ? [{ segment, frame }] : [])),
  );
  const isLater = ({ segment, frame }: FramePlace) =>
    segment.index > from.segment.index || (segment.index === from.segment.index && frame > from.frame);
  return places.find(isLater) ?? places[0];
}

export function isReplaced(state: FrameState): boolean {
  return state === 'skipped' || state === 'repaired';
}
