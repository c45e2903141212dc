import { everyPicture, type Span } from './live/interruptions.js';
import type { DeliveredSegment, ShownPicture } from './page/types.js';

/** How pictures followed each other. */
export interface ShownPictures {
  /** Seconds that one stood at most, whatever the reason. */
  readonly longestStill: number;
  /** New ones in a second of playback, stalls left out. */
  readonly picturesPerSecond: number;
}

/** What is known of a session. */
export interface SeenSession {
  /** In order, as the browser told of them. */
  readonly pictures: readonly ShownPicture[];
  /** Whether what is shown at a media time is a picture as it was encoded. */
  readonly isNew: (mediaTime: number) => boolean;
  /** ms since 1970, in which pictures were to be shown. */
  readonly span: Span;
  /** Seconds of stalls in it, and of the longest where that is known: nothing new is shown then. */
  readonly stallSeconds: number;
  readonly longestStall?: number;
}

/** Counts from the first picture in the span on; undefined: it has none, or no time of playback. */
export function shownPictures(session: SeenSession): ShownPictures | undefined {
  const { pictures, isNew, span, stallSeconds, longestStall = 0 } = session;
  const times = everyPicture(pictures)
    .filter(([at, mediaTime]) => at >= span.from && at <= span.to && isNew(mediaTime))
    .map(([at]) => at);
  const first = times[0];
  if (first === undefined) return undefined;
  const played = (span.to - first) / 1000 - stallSeconds;
  if (played <= 0) return undefined;
  const stood = times.map((at, index) => ((times[index + 1] ?? span.to) - at) / 1000);
  // Pictures of which a busy page was not told are taken for even ones, across a stall as well.
  return { longestStill: Math.max(longestStall, ...stood), picturesPerSecond: times.length / played };
}

/** Says of a media time whether the frame there came; frames count in decode order, which differs from that of display by a few. What is not known of came whole. */
export function isNewPicture(segments: readonly DeliveredSegment[]): (mediaTime: number) => boolean {
  return (mediaTime) => {
    const own = segments.find(({ startTime, duration }) => mediaTime >= startTime && mediaTime < startTime + duration);
    if (!own || own.frames.length === 0) return true;
    const place = Math.floor((own.frames.length * (mediaTime - own.startTime)) / own.duration);
    return !'sx'.includes(own.frames[place]!);
  };
}
