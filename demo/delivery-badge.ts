import type { Delivery, SegmentRecord } from '../player/api/types.js';
import type { DemoDelivery } from './settings.js';

const names: Readonly<Record<Delivery, string>> = { datagrams: 'datagrams', streams: 'streams', http: 'HTTP' };

/** What the badge says. */
export interface DeliveryText {
  readonly text: string;
  /** `less`: the latest segment came by less than was asked for. */
  readonly tone: 'good' | 'http' | 'less';
}

/** How segments have come, by delivery, the most frequent first: `datagrams 14 · HTTP 1`. A segment that came twice counts as it came last. */
export function deliveryText(
  segments: readonly Pick<SegmentRecord, 'index' | 'delivery'>[],
  wanted: DemoDelivery,
): DeliveryText {
  if (wanted === 'plain') return { text: 'HTTP, plain dash.js', tone: 'http' };
  const latest = segments.at(-1)?.delivery;
  if (latest === undefined) return { text: 'nothing has come yet', tone: 'http' };
  const deliveries = [...new Map(segments.map(({ index, delivery }) => [index, delivery])).values()];
  const counts = Object.entries(names)
    .map(([delivery, name]) => ({ name, count: deliveries.filter((one) => one === delivery).length }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
  const isLess = wanted === 'auto' ? latest === 'http' : wanted !== latest;
  return {
    text: counts.map(({ name, count }) => `${name} ${count}`).join(' · '),
    tone: isLess ? 'less' : latest === 'http' ? 'http' : 'good',
  };
}

/** Says how segments have come, not how they were meant to. */
export function showDelivery(badge: HTMLElement, ...what: Parameters<typeof deliveryText>): void {
  const { text, tone } = deliveryText(...what);
  badge.textContent = text;
  badge.classList.toggle('http', tone === 'http');
  badge.classList.toggle('fallback', tone === 'less');
}
