import type { ByteRange } from '../manifest/byte-range.js';
import { planRetransmission, type PartialSegment } from './retransmission-plan.js';

/** Seconds between two looks at whether there is time to spare. */
export const LOOK_INTERVAL = 0.1;

/** Seconds of pause that are worth a request (the authors' release). */
const SHORTEST_PAUSE = 0.07;

/** Seconds of one round of requests: after that the situation is looked at anew. */
const LONGEST_ROUND = 2;

/** Share of the throughput that is asked for: what comes after the pause would be in the next segment's way. */
const COUNTED_ON = 0.9;

/** Seconds before its start at which a segment is left as it is: the decoder reads ahead. */
const READ_AHEAD = 0.3;

/** Seconds before its start at which its request ends: what has come must be put together and into the buffer in time. */
const LEAD = 0.5;

/** Share of the buffer's time that may go into what cannot wait for a pause, while the next segment is on its way. */
const URGENT_SHARE = 0.1;

/**
 * How many times as much as an average byte a byte must be worth for that: one that is worth less would do the next
 * segment more good. The loss of one frame that others refer to may cost hundreds of times its share.
 */
const URGENT_WORTH = 1;

/** A segment in the buffer with gaps. */
export interface HeldSegment extends PartialSegment {
  /** Seconds on the media time line. */
  readonly startTime: number;
  /** The request under way for its gaps. Only that for an urgent one goes on when the next segment is asked for. */
  readonly round: 'urgent' | 'in-pause' | undefined;
}

/** Place of the media element: seconds on the media time line, and their pace. */
export interface PlaybackPosition {
  readonly currentTime: number;
  readonly playbackRate: number;
}

/** The situation at one look. */
export interface Moment<Segment> {
  readonly playback: PlaybackPosition;
  /** Seconds until the next segment is asked for (`pauseLength`); undefined while one is on its way. */
  readonly pause: number | undefined;
  /** Round trip, in seconds. */
  readonly latency: number;
  /** Bit/s; undefined while nothing is known. */
  readonly throughput: number | undefined;
  /** Whether a better segment could take the place of that one in the buffer. */
  readonly isReplaceable: (segment: Segment) => boolean;
}

/** What to do with the segments held. */
export interface Look<Segment> {
  /** End the request with what has come: the segment is about to be played. */
  readonly end: readonly Segment[];
  /** Forget these. */
  readonly drop: readonly Segment[];
  /** Fetch these ranges of the media file, reliably and in their order. */
  readonly fetch: ReadonlyMap<Segment, readonly ByteRange[]>;
}

/**
 * Selective retransmission (thesis §6.2): while no segment is wanted, what is missing of segments that are not yet played
 * is fetched, one round of requests at a time, as much as should come before the pause ends.
 */
export function look<Segment extends HeldSegment>(
  segments: readonly Segment[],
  moment: Moment<Segment>,
): Look<Segment> {
  const { currentTime, playbackRate } = moment.playback;
  // A better segment would come too late to be played.
  const late = segments.filter(({ startTime }) => startTime < currentTime + LEAD * playbackRate);
  const isBusy = segments.some(({ round }) => round);
  return {
    end: late.filter(({ round }) => round),
    drop: late.filter(({ round }) => !round),
    fetch: isBusy
      ? new Map<Segment, ByteRange[]>()
      : planPause(
          segments.filter((segment) => !late.includes(segment)),
          moment,
        ),
  };
}

/** Whether the decoder may have pictures of the segment that starts there, s: what is put in its place now is shown in part or not at all. */
export function isBeingDecoded(startTime: number, { currentTime, playbackRate }: PlaybackPosition): boolean {
  return startTime < currentTime + READ_AHEAD * playbackRate;
}

/**
 * What to fetch at once of a segment that has just been delivered: what is worth more than its bytes would be to the next
 * segment does not wait for a pause, as before the buffer is full for the first time there is none. `bufferLevel`: seconds.
 */
export function planUrgent(
  segment: PartialSegment,
  { throughput, bufferLevel }: { readonly throughput: number | undefined; readonly bufferLevel: number },
): readonly ByteRange[] {
  const limits = { bytes: bytesIn(URGENT_SHARE * bufferLevel, throughput), leastWorth: URGENT_WORTH };
  return planRetransmission([segment], limits).get(segment) ?? [];
}

/**
 * Seconds until the next segment is asked for: until it fits into the buffer, and at least as long as the rule waits.
 * Infinite where none follows, and with a full buffer that does not play.
 */
export function pauseLength({
  bufferLevel,
  fullBuffer,
  playback,
  ruleWaits,
  isLastRequested,
}: {
  /** Seconds, both. */
  readonly bufferLevel: number;
  readonly fullBuffer: number;
  readonly playback: { readonly paused: boolean; readonly playbackRate: number };
  /** Seconds that are left of the wait that the rule chose; not above 0 when it is over. */
  readonly ruleWaits: number;
  readonly isLastRequested: boolean;
}): number {
  if (isLastRequested) return Infinity;
  const excess = bufferLevel - fullBuffer;
  const untilWanted = excess > 0 && playback.paused ? Infinity : excess / playback.playbackRate;
  return Math.max(untilWanted, ruleWaits);
}

function planPause<Segment extends PartialSegment>(
  segments: readonly Segment[],
  { pause = 0, latency, throughput, isReplaceable }: Moment<Segment>,
): Map<Segment, ByteRange[]> {
  const seconds = Math.min(pause, LONGEST_ROUND) - latency;
  if (pause < SHORTEST_PAUSE || seconds <= 0) return new Map<Segment, ByteRange[]>();
  return planRetransmission(segments.filter(isReplaceable), { bytes: bytesIn(seconds, throughput) });
}

function bytesIn(seconds: number, throughput = 0): number {
  return (COUNTED_ON * throughput * seconds) / 8;
}
