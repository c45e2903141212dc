import {
  deadlineOf,
  isKeptLate,
  type LinkEstimate,
  type PathEstimate,
  type Strategy,
} from '../../../src/delivery/index.js';
import type { Receiver, SegmentProgress, SegmentRequest, SessionDelivery } from '../../../src/voxel-loader/index.js';
import type { Decision, RateControl, ReviewResult } from '../choose/rate-control.js';
import type { Delivery } from '../../types.js';
import type { PlayerVideo } from '../../port/player-segment.js';
import type { WantedSegment } from './requested-segment.js';

/** What is the same for all downloads of a player. */
export interface DownloadPreferences {
  readonly delivery: Delivery;
  /** Whether the rule may ask for streams where `delivery` is datagrams. */
  readonly ruleChooses: boolean;
  /** Whether requests say when the buffer runs out. */
  readonly withDeadlines: boolean;
  /** Hosts besides the media's own that get the headers of the player's requests. */
  readonly headerHosts: readonly string[];
  readonly strategy: Strategy;
}

/** How a segment is asked for. */
export interface DownloadPlan {
  readonly level: number;
  readonly delivery: SessionDelivery;
  readonly recovery: boolean;
  /** Milliseconds from now; what is unsent then is better left out. */
  readonly deadline: number | undefined;
  /** Milliseconds from now until the buffer runs out; undefined: nothing plays. */
  readonly buffer: number | undefined;
  readonly parity: SegmentRequest['parity'];
}

/** What downloads so far say about the link. */
export interface KnownLink {
  readonly throughput: Pick<LinkEstimate['throughput'], 'throughput'>;
  readonly path: Pick<PathEstimate, 'lossRate' | 'roundTrip'>;
}

/** Says how to ask for a segment, and what its progress leads to. */
export class DownloadControl {
  readonly #preferences: DownloadPreferences;
  readonly #rateControl: Pick<RateControl, 'review'> | undefined;
  readonly #video: Pick<PlayerVideo, 'bufferLevel' | 'playbackRate'>;
  readonly #receiver: Pick<Receiver, 'canRepair'>;
  readonly #link: KnownLink;

  constructor(
    preferences: DownloadPreferences,
    collaborators: {
      readonly rateControl: Pick<RateControl, 'review'> | undefined;
      readonly video: Pick<PlayerVideo, 'bufferLevel' | 'playbackRate'>;
      readonly receiver: Pick<Receiver, 'canRepair'>;
      readonly link: KnownLink;
    },
  ) {
    this.#preferences = preferences;
    this.#rateControl = collaborators.rateControl;
    this.#video = collaborators.video;
    this.#receiver = collaborators.receiver;
    this.#link = collaborators.link;
  }

  /** `bufferLevel`: seconds that are left to play before the segment. */
  async plan({ decision, map, key }: WantedSegment, bufferLevel = this.#video.bufferLevel): Promise<DownloadPlan> {
    const { delivery, ruleChooses, withDeadlines, strategy } = this.#preferences;
    const whole = map.steps.length - 1;
    // Gaps in what cannot be repaired would be of no use.
    const canRepair = await this.#receiver.canRepair(key);
    const onStreams = !canRepair || delivery === 'streams' || (ruleChooses && decision?.delivery === 'streams');
    // The decision may be older than the map.
    const level = Math.min((canRepair ? decision?.option.level : undefined) ?? whole, whole);
    const { playbackRate } = this.#video;
    const deadline = withDeadlines ? deadlineOf(bufferLevel, playbackRate) : undefined;
    const buffer = playbackRate > 0 ? (1000 * bufferLevel) / playbackRate : undefined;
    const { throughput, path } = this.#link;
    const parity = strategy.protection({
      bytesReliable: map.reliableBytes,
      bytesUnreliable: map.steps[level]!.bytes,
      deadline,
      throughput: throughput.throughput,
      roundTrip: path.roundTrip,
      lossRate: path.lossRate,
    });
    const asked = onStreams ? 'streams' : 'datagrams';
    return { level, delivery: asked, recovery: strategy.recovery, deadline, buffer, parity };
  }

  review(decision: Decision | undefined, progress: SegmentProgress): ReviewResult {
    const isReviewed = this.#rateControl && decision;
    if (!isReviewed) return { action: 'continue' };
    const { bufferLevel } = this.#video;
    const review = this.#rateControl.review(decision, progress, bufferLevel);
    if (review.action !== 'continue') return review;
    const isLate = isKeptLate(this.#preferences.strategy, bufferLevel, progress.phase === 'unreliable');
    // Not the first segment: playback has not begun to wait for it.
    return { action: isLate && decision.state.lastChoice ? 'keep' : 'continue' };
  }
}
