import { AbrLive } from '../../../src/abr-star/index.js';
import type { LiveLink, LiveRung } from '../../../src/delivery/live-link.js';
import type { BufferedVideo } from '../buffered-video.js';
import { segmentDurationOf } from '../../segments/player-segment.js';
import type { DashPlayer, DashRepresentation, RulesContext } from '../dash-types.js';
import { keyOf } from '../presentation.js';

const RULE = 'VoxelLiveRule';

export interface LiveRuleOptions {
  readonly link: () => LiveLink;
  readonly video: Pick<BufferedVideo, 'bufferLevel' | 'nextRequest'>;
  /** False: dash.js' rules choose. */
  readonly isActive: () => boolean;
}

/** Puts the choice of `abr-live` where dash.js looks for it. The function returned takes the rule away. */
export function addLiveRule(player: DashPlayer, { link, video, isActive }: LiveRuleOptions): () => void {
  const abr = new AbrLive();
  const choose = (rules: RulesContext): DashRepresentation | null => {
    const next = video.nextRequest;
    if (!isActive() || rules.getMediaType() !== 'video' || !next?.representation) return null;
    const possible = rules
      .getAbrController()
      .getPossibleVoRepresentationsFilteredBySettings(rules.getMediaInfo(), true);
    const allowed = [...possible].sort((a, b) => a.bandwidth - b.bandwidth);
    if (allowed.length === 0) return null;
    const state = link().state(allowed.map(rungOf), {
      segmentIndex: next.index,
      segmentDuration: segmentDurationOf(next),
      bufferLevel: video.bufferLevel,
      last: keyOf(next.representation),
      now: performance.now(),
    });
    return allowed[abr.choose(state).option.representation]!;
  };
  const rule = {
    getClassName: () => RULE,
    reset: () => undefined,
    getSwitchRequest: (rules: RulesContext) => {
      const representation = choose(rules);
      return { representation, priority: representation ? 1 : 0.5, reason: null, rule: RULE };
    },
  };
  player.addABRCustomRule('qualitySwitchRules', RULE, () => ({ create: () => rule }));
  return () => player.removeABRCustomRule(RULE);
}

export function rungOf(representation: DashRepresentation): LiveRung {
  return { key: keyOf(representation), bitrate: representation.bandwidth };
}
