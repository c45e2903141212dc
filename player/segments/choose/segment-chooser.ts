import type { ThroughputSample } from '../../../src/abr-star/index.js';
import { PIECE_SECONDS } from '../../../src/delivery/index.js';
import type { RepresentationMap } from '../../../src/manifest/segment-map.js';
import type { SegmentProgress } from '../../../src/voxel-loader/index.js';
import type { SessionManager } from '../../network/session-manager.js';
import {
  segmentDurationOf,
  type PlayerSegment,
  type PlayerSettings,
  type PlayerVideo,
} from '../../port/player-segment.js';
import type { Decision, RateControl, ReviewResult, Situation } from './rate-control.js';

export interface SegmentChooserCollaborators {
  /** Undefined: the player's rules choose. */
  readonly rateControl: RateControl | undefined;
  readonly settings: Pick<PlayerSettings, 'isVideoPinned'>;
  readonly video: Pick<PlayerVideo, 'bufferLevel' | 'takesPieces'>;
  readonly sessions: Pick<SessionManager, 'isOpen'>;
  /** True while the first segment is on its way over HTTP. */
  readonly headStart: { readonly isRunning: boolean };
}

/** What to ask for; without a decision all of it, as the user or the page has pinned it. */
export interface SegmentChoice {
  readonly representation: RepresentationMap;
  readonly decision: Decision | undefined;
}

type ChosenSegment = Pick<PlayerSegment, 'index' | 'duration' | 'representation'>;

/** Puts the situation of the player before the rate control. */
export class SegmentChooser {
  constructor(private readonly collaborators: SegmentChooserCollaborators) {}

  /** Decision among all levels of these representations. */
  choose(candidates: readonly RepresentationMap[], fragment: PlayerSegment): Decision | undefined {
    return this.collaborators.rateControl?.decide(candidates, this.#situation(fragment));
  }

  /** What to ask for first, while the segments' sizes are not known. */
  begin(candidates: readonly RepresentationMap[], fragment: PlayerSegment): RepresentationMap | undefined {
    return this.collaborators.rateControl?.begin(candidates, this.#situation(fragment));
  }

  /**
   * The decision that brought the player to that segment, or one among the levels of the representation that the player chose.
   * Undefined where the user or the page has pinned a representation. `bufferLevel`: seconds that are left to play before the segment.
   */
  chooseLevel(
    representation: RepresentationMap,
    fragment: ChosenSegment,
    bufferLevel = this.collaborators.video.bufferLevel,
  ): Decision | undefined {
    const { rateControl, settings } = this.collaborators;
    if (settings.isVideoPinned) return undefined;
    return rateControl?.decideLevel(representation, this.#situation(fragment, bufferLevel));
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
  ): SegmentChoice | undefined {
    const { rateControl, settings } = this.collaborators;
    if (settings.isVideoPinned) return { representation: current, decision: undefined };
    const decision = rateControl?.decideAhead(this.#situation(fragment, bufferLevel), sample);
    return decision && { representation: decision.representation, decision };
  }

  /**
   * Whether a download goes on. `decision`: what it was asked for by; without one there are no reviews. `handedOver`: seconds of it that
   * the player has.
   */
  review(decision: Decision | undefined, progress: SegmentProgress, handedOver = 0): ReviewResult {
    const { rateControl, video } = this.collaborators;
    const review = decision && rateControl?.review(decision, progress, video.bufferLevel, handedOver);
    return review ?? { action: 'continue' };
  }

  #situation(fragment: ChosenSegment, bufferLevel = this.collaborators.video.bufferLevel): Situation {
    const { sessions, headStart, video } = this.collaborators;
    const segments = sessions.isOpen && !headStart.isRunning ? 'partial' : 'whole';
    const segmentDuration = segmentDurationOf(fragment);
    const pieceSeconds = video.takesPieces ? Math.min(PIECE_SECONDS, segmentDuration) : undefined;
    return { segmentIndex: fragment.index, segmentDuration, bufferLevel, segments, pieceSeconds };
  }
}
