import type { LossEstimator, ThroughputSample } from '../../../src/abr-star/index.js';
import { bufferShown } from '../../../src/delivery/index.js';
import type { RepresentationMap } from '../../../src/manifest/segment-map.js';
import type { Decision, RateControl, Situation } from './rate-control.js';
import type { SessionManager } from '../../network/session-manager.js';
import type { DownloadPreferences } from '../fetch/download-control.js';
import {
  segmentDurationOf,
  type PlayerSegment,
  type PlayerSettings,
  type PlayerVideo,
} from '../../port/player-segment.js';
import type { RequestedSegment } from '../fetch/requested-segment.js';

export interface SegmentChooserOptions {
  /** Undefined: the player's rules choose. */
  readonly rateControl: RateControl | undefined;
  readonly settings: Pick<PlayerSettings, 'isVideoPinned'>;
  readonly video: Pick<PlayerVideo, 'bufferLevel'>;
  readonly sessions: Pick<SessionManager, 'isOpen'>;
  /** True while the first segment is on its way over HTTP. */
  readonly headStart: { readonly isRunning: boolean };
  readonly preferences: Pick<DownloadPreferences, 'strategy'>;
  readonly link: { readonly loss: Pick<LossEstimator, 'hasGaps'> };
}

/** Puts the situation of the player before the rate control. */
export class SegmentChooser {
  readonly #options: SegmentChooserOptions;

  constructor(options: SegmentChooserOptions) {
    this.#options = options;
  }

  /** Among all levels of these representations. */
  choose(candidates: readonly RepresentationMap[], fragment: PlayerSegment): Decision | undefined {
    return this.#options.rateControl?.decide(candidates, this.#situation(fragment));
  }

  /** What to ask for first, while the segments' sizes are not known. */
  begin(candidates: readonly RepresentationMap[], fragment: PlayerSegment): RepresentationMap | undefined {
    return this.#options.rateControl?.begin(candidates, segmentDurationOf(fragment));
  }

  /**
   * The decision that brought the player to that segment, or one among the levels of the representation that the player chose.
   * Undefined where the user or the page has pinned a representation.
   */
  chooseLevel(representation: RepresentationMap, fragment: PlayerSegment): Decision | undefined {
    const { rateControl, settings } = this.#options;
    return settings.isVideoPinned ? undefined : rateControl?.decideLevel(representation, this.#situation(fragment));
  }

  /**
   * What the player will ask for where it loads `current` now: as `choose` among the representations that it last allowed, with the
   * buffer that there will be and what the running download shows of the link, or that one whole where the user or the page has
   * pinned it.
   */
  chooseAhead(
    current: RepresentationMap,
    fragment: PlayerSegment,
    { bufferLevel, ...sample }: ThroughputSample & Pick<Situation, 'bufferLevel'>,
  ): (Pick<RequestedSegment, 'decision'> & { readonly representation: RepresentationMap }) | undefined {
    const { rateControl, settings } = this.#options;
    if (settings.isVideoPinned) return { representation: current, decision: undefined };
    const decision = rateControl?.decideAhead(this.#situation(fragment, bufferLevel), sample);
    return decision && { representation: decision.representation, decision };
  }

  #situation(fragment: PlayerSegment, bufferLevel = this.#options.video.bufferLevel): Situation {
    const { sessions, headStart, preferences, link } = this.#options;
    const segmentDuration = segmentDurationOf(fragment);
    const { hasGaps } = link.loss;
    return {
      segmentIndex: fragment.index,
      segmentDuration,
      bufferLevel: bufferShown(preferences.strategy, { bufferLevel, segmentDuration, hasGaps }),
      segments: sessions.isOpen && !headStart.isRunning ? 'partial' : 'whole',
    };
  }
}
