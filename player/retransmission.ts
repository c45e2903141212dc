import type { ThroughputEstimator } from '../src/abr-star/index.js';
import { totalBytes } from '../src/manifest/byte-range.js';
import type { IntervalSet } from '../src/manifest/interval-set.js';
import type { SegmentMap } from '../src/manifest/segment-map.js';
import {
  downloadRanges,
  planRetransmission,
  type DeliveredSegment,
  type SegmentDownload,
} from '../src/voxel-loader/index.js';
import type { BufferedSegment, BufferedVideo } from './dash/buffered-video.js';
import { describeError } from './errors.js';
import type { Journal } from './journal.js';
import type { Repairers } from './repairers.js';
import { createSegmentRecord, type SegmentOutcome } from './segment-record.js';
import type { SessionManager } from './session-manager.js';
import type { PlayerSettings } from './dash/settings.js';
import type { SegmentRecord } from './types.js';

/** Milliseconds between two looks at whether there is time to spare. */
const INTERVAL = 100;

/** Seconds of pause that are worth a request (the authors' release). */
const SHORTEST_PAUSE = 0.07;

/** Seconds of one round of requests: after that the situation is looked at anew. */
const LONGEST_ROUND = 2;

/** Share of the throughput that is asked for: what comes after the pause would be in the next segment's way. */
const COUNTED_ON = 0.9;

/** Seconds before its start at which a segment is left as it is: the decoder reads ahead. */
const LEAD = 0.5;

/** A segment as dash.js has it. */
export interface DeliveredToBuffer {
  readonly place: BufferedSegment;
  /** Of the representation, for the repairer. */
  readonly key: string;
  /** Path and query of its file on the server. */
  readonly target: string;
  /** The segment as it came, with its holes. */
  readonly bytes: Uint8Array;
  readonly delivery: SegmentOutcome & { readonly received: IntervalSet };
  readonly record: SegmentRecord;
}

/** Share of the buffer's time that may go into what cannot wait for a pause, while the next segment is on its way. */
const URGENT_SHARE = 0.1;

/**
 * How many times as much as an average byte a byte must be worth for that: one that is worth less would do the next
 * segment more good. The loss of one frame that others refer to may cost hundreds of times its share.
 */
const URGENT_WORTH = 1;

interface HeldSegment extends DeliveredToBuffer {
  readonly map: SegmentMap;
  readonly received: IntervalSet;
  bytesRefetched: number;
  record: SegmentRecord;
  download: SegmentDownload | undefined;
  /** Not ended by the next segment's request. */
  isUrgent: boolean;
  /** Better than what dash.js has. */
  isBetter: boolean;
}

export interface RetransmissionContext {
  readonly sessions: Pick<SessionManager, 'session'>;
  readonly repairers: Pick<Repairers, 'repair'>;
  readonly journal: Pick<Journal, 'improved' | 'notImproved'>;
  readonly throughput: Pick<ThroughputEstimator, 'throughput'>;
  readonly settings: Pick<PlayerSettings, 'secondsHeld'>;
  readonly video: Pick<BufferedVideo, 'element' | 'isLastRequested' | 'holds' | 'replace'>;
  /** Seconds of video. */
  readonly bufferLevel: () => number;
}

/**
 * Fetches what is missing of segments that are not yet played while dash.js wants nothing else, and puts the better
 * segment into the buffer (thesis §6.2). The next segment's request ends that at once. What is worth far more than its
 * bytes does not wait for a pause: before the buffer is full for the first time there is none.
 */
export class Retransmission {
  readonly #context: RetransmissionContext;
  #segments: HeldSegment[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #isSuspended = false;
  /** When the next segment will be asked for, as far as the rule has said; on the clock of `performance.now()`. */
  #nextRequestAt = 0;
  /** Seconds. */
  #latency = 0;

  constructor(context: RetransmissionContext) {
    this.#context = context;
  }

  /** dash.js asks for the segment that starts there: the link is for that one. */
  suspend(startTime: number): void {
    this.#isSuspended = true;
    this.#drop(({ place }) => place.startTime === startTime);
    for (const { download, isUrgent } of this.#segments) if (!isUrgent) download?.keep();
  }

  /**
   * A segment has been delivered: nothing is wanted until the next call of `suspend`. `rtt`: the server's round-trip time
   * in ms, where it is known.
   */
  resume(rtt: number | undefined): void {
    this.#isSuspended = false;
    this.#latency = (rtt ?? 0) / 1000;
  }

  /** What is missing of that segment, if anything is, is worth fetching. */
  hold(delivered: DeliveredToBuffer): void {
    const { map, received } = delivered.delivery;
    if (received.contains(0, map.range.end - map.range.start)) return;
    const fresh = { bytesRefetched: 0, download: undefined, isUrgent: false, isBetter: false };
    const segment: HeldSegment = { ...delivered, map, received, ...fresh };
    this.#segments.push(segment);
    const seconds = URGENT_SHARE * this.#context.bufferLevel();
    this.#fetch([segment], { seconds, leastWorth: URGENT_WORTH });
    segment.isUrgent = segment.download !== undefined;
    this.#timer ??= setInterval(() => this.#look(), INTERVAL);
  }

  /** The rule wants the next request to wait for so many seconds. */
  expectRequestIn(seconds: number): void {
    this.#nextRequestAt = performance.now() + seconds * 1000;
  }

  stop(): void {
    this.#drop(() => true);
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const { element } = this.#context.video;
    if (!element) return;
    const isTooLate = ({ place }: HeldSegment): boolean =>
      place.startTime < element.currentTime + LEAD * element.playbackRate;
    for (const segment of this.#segments) if (isTooLate(segment)) segment.download?.keep();
    this.#drop((segment) => isTooLate(segment) && !segment.download);
    if (this.#segments.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    for (const segment of this.#segments) {
      if (!segment.download) this.#append(segment).catch((error: unknown) => this.#giveUp(segment, error));
    }
    const isBusy = this.#segments.some(({ download }) => download);
    if (!this.#isSuspended && !isBusy) this.#fetchInPause(this.#pause(element));
  }

  /** Seconds until dash.js asks for the next segment. */
  #pause({ paused, playbackRate }: HTMLMediaElement): number {
    const { video, settings, bufferLevel } = this.#context;
    if (video.isLastRequested) return Infinity;
    const excess = bufferLevel() - settings.secondsHeld;
    const untilWanted = excess > 0 && paused ? Infinity : excess / playbackRate;
    return Math.max(untilWanted, (this.#nextRequestAt - performance.now()) / 1000);
  }

  #fetchInPause(pause: number): void {
    const seconds = Math.min(pause, LONGEST_ROUND) - this.#latency;
    if (pause < SHORTEST_PAUSE || seconds <= 0) return;
    this.#fetch(
      this.#segments.filter(({ place }) => this.#context.video.holds(place)),
      { seconds, leastWorth: 0 },
    );
  }

  /** Asks for as much as should come in so many seconds. */
  #fetch(
    segments: readonly HeldSegment[],
    { seconds, leastWorth }: { readonly seconds: number; readonly leastWorth: number },
  ): void {
    const { sessions, throughput } = this.#context;
    const { session } = sessions;
    if (!session) return;
    const bytes = (COUNTED_ON * (throughput.throughput ?? 0) * seconds) / 8;
    for (const [segment, ranges] of planRetransmission(segments, { bytes, leastWorth })) {
      const { target, map } = segment;
      segment.download = downloadRanges(session, { target, map, ranges });
      segment.download.result
        .then((refetched) => this.#improve(segment, refetched))
        // Aborted, or the repairer or dash.js refuses: the segment stays as it is.
        .catch((error: unknown) => this.#giveUp(segment, error));
    }
  }

  async #improve(segment: HeldSegment, refetched: DeliveredSegment): Promise<void> {
    const { bytes, received } = segment;
    const before = received.size;
    for (const { start, end } of refetched.received) {
      bytes.set(refetched.bytes.subarray(start, end), start);
      received.add(start, end);
    }
    segment.bytesRefetched += received.size - before;
    segment.isBetter ||= received.size > before;
    // Until here, for the next round must not begin before this one is in the buffer.
    await this.#append(segment).finally(() => Object.assign(segment, { download: undefined, isUrgent: false }));
    // A failed session is opened again; a request that the server refuses is not made twice.
    if (refetched.failure && !refetched.failure.fatal) throw refetched.failure;
  }

  /** Puts a better segment into the buffer; once dash.js has it there, if that is not yet so. */
  async #append(segment: HeldSegment): Promise<void> {
    const { key, bytes, received, delivery, bytesRefetched, place } = segment;
    // It may have been asked for anew meanwhile.
    if (!segment.isBetter || !this.#segments.includes(segment)) return;
    const repaired = this.#context.repairers.repair(key, { bytes, received });
    segment.isBetter = false;
    if (!(await this.#context.video.replace(place, repaired.bytes))) {
      segment.isBetter = true;
      return;
    }
    const { bytesLost, framesRepaired, firstPass = { bytesLost, framesRepaired } } = segment.record;
    const improved = createSegmentRecord({
      ...delivery,
      bytesUnreliable: delivery.bytesUnreliable + bytesRefetched,
      bytesLost: totalBytes(delivery.lost.flatMap(({ start, end }) => received.gaps(start, end))),
      bytesRefetched,
      frames: repaired.frames,
    });
    const record = { ...improved, firstPass };
    this.#context.journal.improved(segment.record, record, repaired);
    segment.record = record;
    if (received.contains(0, bytes.length)) this.#drop((candidate) => candidate === segment);
  }

  #giveUp(segment: HeldSegment, error: unknown): void {
    this.#drop((candidate) => candidate === segment);
    if (describeError(error).code !== 'aborted') this.#context.journal.notImproved(error);
  }

  #drop(isUnwanted: (segment: HeldSegment) => boolean): void {
    const [dropped, kept] = [this.#segments.filter(isUnwanted), this.#segments.filter((one) => !isUnwanted(one))];
    this.#segments = kept;
    for (const { download } of dropped) download?.abort();
  }
}
