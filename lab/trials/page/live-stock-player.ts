import type { MediaPlayerClass } from 'dashjs';
import { isLiveRule, type LiveStockRule, type StockRule } from '../stock-rules.js';
import { mendL2A } from './mended-l2a.js';

/**
 * Seconds, as dash.js' own example of LoL+ has it and our player, too: with dash.js' own 0.3 a buffer of a third of a second counts as empty
 * all the time.
 */
const STALL_THRESHOLD = 0.05;

const RULES: Readonly<Record<LiveStockRule, 'loLPRule' | 'l2ARule'>> = {
  lolp: 'loLPRule',
  l2a: 'l2ARule',
  'l2a-mended': 'l2ARule',
};

/** Gives dash.js its latency and its rule. All else is as it comes: what catches up, and how fast, is in the manifest. */
export function prepareLivePlayer(player: MediaPlayerClass, rule: StockRule | undefined, latency: number): void {
  const live: object = {
    streaming: { delay: { liveDelay: latency }, buffer: { lowLatencyStallThreshold: STALL_THRESHOLD } },
  };
  player.updateSettings(live);
  if (rule === 'l2a-mended') mendL2A(player);
  if (rule === undefined || !isLiveRule(rule)) return;
  // Rules of low latency choose alone: with others beside them the lowest choice would count.
  const off = ['throughputRule', 'bolaRule', 'insufficientBufferRule', 'switchHistoryRule', 'abandonRequestsRule'];
  const rules = Object.fromEntries(off.map((name) => [name, { active: false }]));
  const mode = rule === 'lolp' ? { liveCatchup: { mode: 'liveCatchupModeLoLP' } } : {};
  const chosen: object = {
    streaming: { abr: { rules: { ...rules, [RULES[rule]]: { active: true } } }, ...mode },
  };
  player.updateSettings(chosen);
}
