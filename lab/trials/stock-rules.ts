/**
 * The built-in rules of dash.js; `dynamic` is what it does by itself: throughput at first, BOLA with a full buffer. `lolp` and `l2a` are for live
 * streams; `l2a-mended` is the latter with bitrates and throughput in one unit (`page/mended-l2a.ts`).
 */
export type StockRule = OnDemandStockRule | LiveStockRule;

export type OnDemandStockRule = 'dynamic' | 'bola' | 'throughput';
export type LiveStockRule = 'lolp' | 'l2a' | 'l2a-mended';

const LIVE_STOCK_RULES: readonly LiveStockRule[] = ['lolp', 'l2a', 'l2a-mended'];

export const STOCK_RULES: readonly StockRule[] = ['dynamic', 'bola', 'throughput', ...LIVE_STOCK_RULES];

export function isLiveRule(rule: StockRule): rule is LiveStockRule {
  return LIVE_STOCK_RULES.some((known) => known === rule);
}
