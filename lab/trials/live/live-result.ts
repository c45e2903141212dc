import type { Observation } from '../job.js';
import type { Trial } from '../plan.js';
import type { ScoredSegment } from '../delivered-scores.js';
import { shownPictures, type ShownPictures } from '../shown-pictures.js';
import { everyPicture, interruptions, latencyOf, skippedSeconds } from './interruptions.js';

/** What a live session came to, from the time on when players have settled. Seconds. */
export interface LiveResult {
  /** That was asked for. */
  readonly target: number;
  /** What is counted. */
  readonly seconds: number;
  /** How far behind its capture the picture on the screen was; null: nothing was shown. */
  readonly latency: number | null;
  readonly latencyP95: number | null;
  readonly stallsPerMinute: number;
  /** No new picture, whatever the reason; how often, and for how long together. */
  readonly interruptions: number;
  readonly interruptedSeconds: number;
  /** Time of pictures in whose place a former one was repeated or others were interpolated, however short. */
  readonly replacedSeconds: number;
  /** Media that were jumped over. */
  readonly skippedSeconds: number;
  /** Over the session: all, with pictures that were replaced, and those that came when playback had reached them. */
  readonly chunks: number;
  readonly chunksRepaired: number;
  readonly chunksLate: number;
}

export interface LiveOutcome {
  readonly live: LiveResult;
  readonly stalls: number;
  readonly stallSeconds: number;
  readonly shown: ShownPictures | undefined;
}

/** Undefined: on demand. */
export function liveOutcome(
  { live, media: { frameSeconds } }: Trial,
  { live: seen, pictures: told, availabilityStart: start, startedAt, playback }: Observation,
  scored: ReadonlyMap<number, ScoredSegment>,
): LiveOutcome | undefined {
  if (!live || !seen || start === undefined || startedAt === undefined || frameSeconds === undefined) return undefined;
  const span = { from: startedAt + 1000 * live.settling, to: startedAt + 1000 * live.seconds };
  const { chunks, settled } = seen;
  const pictures = everyPicture(told);
  const place = (mediaTime: number) => Math.round(mediaTime / frameSeconds);
  const replaced = new Set([...scored.values()].flatMap(({ replaced: times = [] }) => times.map(place)));
  const whole = pictures.filter(([, mediaTime]) => !replaced.has(place(mediaTime))).map(([at]) => at);
  const shown = new Set(pictures.filter(([at]) => at > span.from && at <= span.to).map(([, time]) => place(time)));
  const latency = latencyOf(pictures, span, start);
  const freezes = interruptions(whole, span, frameSeconds);
  const seconds = live.seconds - live.settling;
  const stalls = playback.stalls - settled.stalls;
  const stallSeconds = playback.stallSeconds - settled.stallSeconds;
  const isNew = (mediaTime: number) => !replaced.has(place(mediaTime));
  return {
    stalls,
    stallSeconds,
    shown: shownPictures({ pictures: told, isNew, span, stallSeconds }),
    live: {
      ...{ target: live.latency, seconds },
      ...{ latency: latency.mean ?? null, latencyP95: latency.p95 ?? null },
      stallsPerMinute: (60 * stalls) / seconds,
      interruptions: freezes.count,
      interruptedSeconds: freezes.seconds,
      replacedSeconds: frameSeconds * [...shown].filter((number) => replaced.has(number)).length,
      skippedSeconds: skippedSeconds(pictures, span),
      chunks: chunks.delivered,
      chunksRepaired: chunks.repaired,
      chunksLate: chunks.late,
    },
  };
}
