import type { MediaPlayerClass } from 'dashjs';
import { giveBuffer, measureRightDownload } from '../../../demo/compare/stock-player.js';
import { DashPlayerSettings } from '../../../player/dash/settings.js';
import { isLiveRule, type OnDemandStockRule } from '../stock-rules.js';
import type { PageSettings } from './types.js';

/** Which of dash.js' own rules choose. "Dynamic" is both of them, as dash.js comes; the others are safety nets. */
const ACTIVE_RULES: Readonly<Record<OnDemandStockRule, { readonly throughput: boolean; readonly bola: boolean }>> = {
  dynamic: { throughput: true, bola: true },
  bola: { throughput: false, bola: true },
  throughput: { throughput: true, bola: false },
};

/** Gives dash.js the buffer of the trial. All else stays as it comes, unless the system is to have all of the plugin's settings. */
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
    giveBuffer(player, bufferSegments, segmentDuration);
  }
  measureRightDownload(player);
}
