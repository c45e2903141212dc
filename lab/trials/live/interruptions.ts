import { LatencyStatistics, type LatencySummary } from '../../../player/latency/latency-statistics.js';
import type { ShownPicture } from '../page/types.js';

/** Beyond what pictures stand as a rule, ms: as `freezeCount` of WebRTC has it (W3C, Identifiers for WebRTC's Statistics API). */
const LEAST_FREEZE_MS = 150;
const LEAST_FREEZE_PICTURES = 3;

/** Media time may run ahead of the clock by as much where players catch up, s. */
const CATCH_UP_SECONDS = 0.1;

/** A span of time, ms since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** With those, evenly between their neighbours, of which a busy page was not told: the browser counts what it shows. */
export function everyPicture(told: readonly ShownPicture[]): ShownPicture[] {
  return told.flatMap((picture, index) => {
    const [at, mediaTime, count] = picture;
    const [before, formerTime, formerCount] = told[index - 1] ?? picture;
    const untold = Math.max(0, count - formerCount - 1);
    const between = Array.from({ length: untold }, (_, place): ShownPicture => {
      const share = (place + 1) / (untold + 1);
      const time = formerTime + share * (mediaTime - formerTime);
      return [before + share * (at - before), time, formerCount + place + 1];
    });
    return [...between, picture];
  });
}

export interface Interruptions {
  readonly count: number;
  readonly seconds: number;
}

/**
 * Spans in which no new picture is shown for as long as a viewer calls a freeze: max(3 δ, δ + 150 ms) with pictures every δ. Whether
 * playback waits or pictures are repeated in place of those that are missing makes no difference. What of a freeze lies outside of
 * `span` does not count, nor does a freeze of which less than a picture's time lies inside.
 * `shown`: when pictures were shown that are as they were encoded, ascending.
 */
export function interruptions(shown: readonly number[], { from, to }: Span, frameSeconds: number): Interruptions {
  const period = 1000 * frameSeconds;
  const least = Math.max(LEAST_FREEZE_PICTURES * period, period + LEAST_FREEZE_MS);
  const before = shown.findLast((at) => at <= from) ?? from;
  const after = shown.find((at) => at >= to) ?? to;
  const times = [before, ...shown.filter((at) => at > from && at < to), after];
  const freezes = times
    .map((at, index) => ({ from: at, to: times[index + 1] ?? at }))
    .filter((gap) => gap.to - gap.from >= least)
    .map((gap) => Math.min(gap.to, to) - Math.max(gap.from, from))
    .filter((milliseconds) => milliseconds >= period);
  return { count: freezes.length, seconds: freezes.reduce((sum, ms) => sum + ms, 0) / 1000 };
}

/** Media that was jumped over, in seconds: media time ran ahead of the clock by more than players catch up with. */
export function skippedSeconds(pictures: readonly ShownPicture[], { from, to }: Span): number {
  let skipped = 0;
  for (const [index, [at, mediaTime]] of pictures.entries()) {
    const [before, formerTime] = pictures[index - 1] ?? [at, mediaTime];
    const ahead = mediaTime - formerTime - (at - before) / 1000;
    if (at > from && at <= to && ahead > CATCH_UP_SECONDS) skipped += ahead;
  }
  return skipped;
}

/**
 * How far behind its capture the picture on the screen is, in seconds, weighted by time as the player's own meter has it: while no picture
 * follows it grows with the clock. `start`: ms since 1970 at media time 0.
 */
export function latencyOf(pictures: readonly ShownPicture[], { from, to }: Span, start: number): LatencySummary {
  const statistics = new LatencyStatistics();
  const first = Math.max(
    0,
    pictures.findLastIndex(([at]) => at <= from),
  );
  for (const [shownAt, mediaTime, count] of pictures.slice(first)) {
    if (shownAt > to) break;
    const at = Math.max(from, shownAt);
    statistics.add({ at, latency: at - start - 1000 * mediaTime, mediaTime, count });
  }
  return statistics.summary(to);
}
