import type { ThroughputEstimator } from '../../../src/abr-star/index.js';
import { look, LOOK_INTERVAL, pauseLength, planUrgent, type HeldSegment } from '../../../src/delivery/index.js';
import type { ByteRange } from '../../../src/manifest/byte-range.js';
import { describeError } from '../../errors.js';
import { ImprovableSegment, type DeliveredWithGaps } from './improvable-segment.js';
import type { Journal } from './journal.js';
import type { PlayerSettings, PlayerVideo } from '../../port/player-segment.js';
import type { SessionManager } from '../../network/session-manager.js';

/** `HTMLMediaElement.HAVE_FUTURE_DATA`. */
const HAVE_FUTURE_DATA = 3;

export interface RetransmissionOptions {
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
  readonly #options: RetransmissionOptions;
  #segments: ImprovableSegment[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #isSuspended = false;
  /** When the next segment will be asked for, as far as the rule has said; on the clock of `performance.now()`. */
  #nextRequestAt = 0;
  /** Seconds. */
  #latency = 0;

  constructor(options: RetransmissionOptions) {
    this.#options = options;
  }

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
    const { throughput, video } = this.#options;
    const segment = new ImprovableSegment(delivered, this.#options);
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
    const { video, throughput } = this.#options;
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
    if (this.#segments.length === 0) {
      this.stop();
      return;
    }
    for (const segment of this.#segments) if (!segment.round) this.#follow(segment, segment.append());
    for (const [segment, ranges] of fetch) this.#fetch(segment, ranges, 'in-pause');
  }

  #pause(playback: HTMLMediaElement): number {
    const { video, settings } = this.#options;
    return pauseLength({
      bufferLevel: video.bufferLevel,
      fullBuffer: settings.secondsHeld,
      playback,
      ruleWaits: (this.#nextRequestAt - performance.now()) / 1000,
      isLastRequested: video.isLastRequested,
    });
  }

  #fetch(segment: ImprovableSegment, ranges: readonly ByteRange[], round: HeldSegment['round']): void {
    const { session } = this.#options.sessions;
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
        if (describeError(error).code !== 'aborted') this.#options.journal.notImproved(error);
      });
  }

  #drop(isUnwanted: (segment: ImprovableSegment) => boolean): void {
    const [dropped, kept] = [this.#segments.filter(isUnwanted), this.#segments.filter((one) => !isUnwanted(one))];
    this.#segments = kept;
    for (const segment of dropped) segment.release();
  }
}
