import type { MediaPlayerClass } from 'dashjs';
import { DashPlayerSettings } from '../../../player/dash/settings.js';
import { bufferCapacity } from '../../../src/delivery/index.js';
import { isLiveRule, type OnDemandStockRule } from '../stock-rules.js';
import type { PageSettings } from './types.js';

/** Which of dash.js' own rules choose. "Dynamic" is both of them, as dash.js comes; the others are safety nets. */
const ACTIVE_RULES: Readonly<Record<OnDemandStockRule, { readonly throughput: boolean; readonly bola: boolean }>> = {
  dynamic: { throughput: true, bola: true },
  bola: { throughput: false, bola: true },
  throughput: { throughput: true, bola: false },
};

/** The response, as far as dash.js hands it to interceptors. */
interface InterceptedResponse {
  readonly request: { readonly customData: { readonly request: { resourceTimingValues?: unknown } } };
}

/**
 * Gives dash.js the buffer of the trial, as the plugin sets it: dash.js asks for a segment while buffer + segment
 * duration < target, so that N segments are held and one is in flight. All else stays as dash.js comes, unless the system is to have all
 * of the plugin's settings.
 */
export function prepareStockPlayer(player: MediaPlayerClass, settings: PageSettings): void {
  const { player: kind, bufferSegments, segmentDuration } = settings;
  if (kind.kind !== 'stock' || isLiveRule(kind.rule)) throw new TypeError('not a system of stock dash.js on demand');
  const { throughput, bola } = ACTIVE_RULES[kind.rule];
  const rules = { throughputRule: { active: throughput }, bolaRule: { active: bola } };
  const chosen: object = { streaming: { abr: { rules } } };
  player.updateSettings(chosen);
  if (kind.settings === 'voxel') {
    new DashPlayerSettings(player, { bufferSegments, ruleOwner: 'player' }).apply(segmentDuration);
  } else {
    const time = bufferCapacity(bufferSegments, segmentDuration);
    const buffer = { bufferTimeDefault: time, bufferTimeAtTopQuality: time, bufferTimeAtTopQualityLongForm: time };
    const ofTrial: object = { streaming: { buffer } };
    player.updateSettings(ofTrial);
  }
  // With one file for each level dash.js would measure every download by that of the initialization segment: the first
  // timing entry with the same URL. The plugin spares its rules that mistake, and the others are to be as well off.
  player.addResponseInterceptor((response) => {
    (response as unknown as InterceptedResponse).request.customData.request.resourceTimingValues = null;
    return Promise.resolve(response);
  });
}
