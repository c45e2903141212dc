import type { ThroughputEstimator } from '../../../src/abr-star/index.js';
import {
  isBeingDecoded,
  look,
  LOOK_INTERVAL,
  pauseLength,
  planUrgent,
  type HeldSegment,
} from '../../../src/delivery/index.js';
import type { ByteRange } from '../../../src/manifest/byte-range.js';
import type { DeliveredSegment, KeptSegment } from '../../../src/voxel-loader/index.js';
import { describeError } from '../../api/errors.js';
import type { SessionManager } from '../../network/session-manager.js';
import { HAVE_FUTURE_DATA } from '../../port/playhead-watch.js';
import type { BufferedSegment, PlayerSettings, PlayerVideo } from '../../port/player-segment.js';
import type { SegmentRecord } from '../../api/types.js';
import { ImprovableSegment } from './improvable-segment.js';
import type { Journal } from './journal.js';
import { improveSegmentRecord, type ReceivedOutcome } from './segment-record.js';

/** A segment that the player has, with gaps, and what has been recorded of it. */
export interface DeliveredWithGaps {
  readonly place: BufferedSegment;
  readonly kept: KeptSegment;
  readonly outcome: ReceivedOutcome;
  readonly record: SegmentRecord;
}

export interface RetransmissionCollaborators {
  readonly sessions: Pick<SessionManager, 'session'>;
  readonly throughput: Pick<ThroughputEstimator, 'throughput'>;
  readonly settings: Pick<PlayerSettings, 'secondsHeld'>;
  readonly video: Pick<PlayerVideo, 'element' | 'bufferLevel' | 'isLastRequested' | 'holds' | 'replace'>;
  readonly journal: Pick<Journal, 'improved' | 'notImproved'>;
}

/**
 * Carries out what `src/delivery/retransmission.ts` plans: has fetched what is missing of segments that are not yet
 * played, while there is time for it.
 */
export class Retransmission {
  #segments: ImprovableSegment[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #isSuspended = false;
  /** When the next segment will be asked for, as far as the rule has said; on the clock of `performance.now()`. */
  #nextRequestAt = 0;
  /** Seconds. */
  #latency = 0;

  constructor(private readonly collaborators: RetransmissionCollaborators) {}

  /** The segment that starts there is asked for: the link is for that one. */
  suspend(startTime: number): void {
    this.#isSuspended = true;
    this.#drop((segment) => segment.startTime === startTime);
    for (const segment of this.#segments) if (segment.round !== 'urgent') segment.keep();
  }

  /**
   * A segment has been delivered: nothing is wanted until the next call of `suspend`. `rtt`: the server's round-trip time
   * in ms, where it is known.
   */
  resume(rtt: number | undefined): void {
    this.#isSuspended = false;
    this.#latency = (rtt ?? 0) / 1000;
  }

  /** Fetches what is missing of that segment, as far and as soon as that is worth it. */
  hold(delivered: DeliveredWithGaps): void {
    const { throughput, video } = this.collaborators;
    const segment = new ImprovableSegment(delivered, this.#replacing(delivered));
    this.#segments.push(segment);
    const urgent = planUrgent(segment, { throughput: throughput.throughput, bufferLevel: video.bufferLevel });
    if (urgent.length > 0) this.#fetch(segment, urgent, 'urgent');
    this.#timer ??= setInterval(() => this.#look(), 1000 * LOOK_INTERVAL);
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
    const { video, throughput } = this.collaborators;
    // Where playback waits, for sound as a rule, the link is for that.
    if (!video.element || video.element.readyState < HAVE_FUTURE_DATA) return;
    const { end, drop, fetch } = look(this.#segments, {
      playback: video.element,
      pause: this.#isSuspended ? undefined : this.#pause(video.element),
      latency: this.#latency,
      throughput: throughput.throughput,
      isReplaceable: ({ place }) => video.holds(place),
    });
    for (const segment of end) segment.keep();
    this.#drop((segment) => drop.includes(segment));
    if (this.#segments.length === 0) return this.stop();
    for (const segment of this.#segments) if (!segment.round) this.#follow(segment, segment.append());
    for (const [segment, ranges] of fetch) this.#fetch(segment, ranges, 'in-pause');
  }

  #pause(playback: HTMLMediaElement): number {
    const { video, settings } = this.collaborators;
    return pauseLength({
      bufferLevel: video.bufferLevel,
      fullBuffer: settings.secondsHeld,
      playback,
      ruleWaits: (this.#nextRequestAt - performance.now()) / 1000,
      isLastRequested: video.isLastRequested,
    });
  }

  /** Puts better segments into the buffer in place of that one, and their records into the journal. */
  #replacing({ place, outcome, record }: DeliveredWithGaps): (better: DeliveredSegment) => Promise<boolean> {
    const { video, journal } = this.collaborators;
    let current = record;
    return async (better) => {
      // A busy machine may have taken long over it.
      if (video.element && isBeingDecoded(place.startTime, video.element)) return false;
      const isReplaced = await video.replace(place, better.bytes);
      if (isReplaced) {
        const former = current;
        current = improveSegmentRecord(former, outcome, better);
        journal.improved(former, current, better.bytes);
      }
      return isReplaced;
    };
  }

  #fetch(segment: ImprovableSegment, ranges: readonly ByteRange[], round: HeldSegment['round']): void {
    const { session } = this.collaborators.sessions;
    if (session) this.#follow(segment, segment.fetch(session, ranges, round));
  }

  /** Aborted, not repairable, or refused by server or player: the segment in the buffer stays as it is. */
  #follow(segment: ImprovableSegment, improving: Promise<void>): void {
    improving
      .then(() => {
        if (segment.isDone) this.#drop((candidate) => candidate === segment);
      })
      .catch((error: unknown) => {
        this.#drop((candidate) => candidate === segment);
        if (describeError(error).code !== 'aborted') this.collaborators.journal.notImproved(error);
      });
  }

  #drop(isUnwanted: (segment: ImprovableSegment) => boolean): void {
    const [dropped, kept] = [this.#segments.filter(isUnwanted), this.#segments.filter((one) => !isUnwanted(one))];
    this.#segments = kept;
    for (const segment of dropped) segment.release();
  }
}
