import type { LiveLink, LiveRung } from '../../../src/delivery/live-link.js';
import { chooseLive } from '../../growing/live-choice.js';
import type { BufferedVideo } from '../buffered-video.js';
import { segmentDurationOf } from '../../port/player-segment.js';
import type { DashPlayer, DashRepresentation, FragmentRequest, RulesContext } from '../dash-types.js';
import { keyOf } from '../presentation.js';
import { addRule, allowedRepresentations } from '../rule-adapter.js';
import { isVideoPinned } from '../settings.js';

export interface LiveRuleOptions {
  readonly link: () => LiveLink;
  readonly video: Pick<BufferedVideo, 'bufferLevel' | 'nextRequest'>;
  /** Key of the representation in which that segment is followed already: it is too late to choose. */
  readonly keyAhead: (index: number) => string | undefined;
  /** False: dash.js' rules choose. */
  readonly isActive: () => boolean;
}

/** Puts the choice of `abr-live` where dash.js looks for it. */
export class LiveRule {
  /** Takes it away. */
  readonly remove: () => void;
  readonly #player: DashPlayer;
  readonly #options: LiveRuleOptions;
  /** Ascending in bitrate; none before dash.js has asked. */
  #allowed: () => readonly DashRepresentation[] = () => [];

  constructor(player: DashPlayer, options: LiveRuleOptions) {
    this.#player = player;
    this.#options = options;
    this.remove = addRule(player, 'qualitySwitchRules', 'VoxelLiveRule', (rules) => this.#answer(rules));
  }

  /** The representation for that segment; undefined: dash.js has not asked yet which there are, or does not ask. */
  choose(next: FragmentRequest): DashRepresentation | undefined {
    const { link, video, keyAhead } = this.#options;
    const allowed = this.#allowed();
    if (allowed.length === 0 || !next.representation || isVideoPinned(this.#player)) return undefined;
    const ahead = keyAhead(next.index);
    const followed = ahead !== undefined && allowed.find((one) => keyOf(one) === ahead);
    if (followed) return followed;
    const chosen = chooseLive(link(), allowed.map(rungOf), {
      segmentIndex: next.index,
      segmentDuration: segmentDurationOf(next),
      bufferLevel: video.bufferLevel,
      last: keyOf(next.representation),
      now: performance.now(),
    });
    return allowed[chosen];
  }

  #answer(rules: RulesContext): DashRepresentation | null {
    const { video, isActive } = this.#options;
    if (!isActive() || rules.getMediaType() !== 'video') return null;
    this.#allowed = () => [...allowedRepresentations(rules)].sort((a, b) => a.bandwidth - b.bandwidth);
    const next = video.nextRequest;
    return (next && this.choose(next)) ?? null;
  }
}

export function rungOf(representation: DashRepresentation): LiveRung {
  return { key: keyOf(representation), bitrate: representation.bandwidth };
}
