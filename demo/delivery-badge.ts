import type { Delivery } from '../player/api/types.js';
import type { DemoDelivery } from './settings.js';

const names: Readonly<Record<Delivery, string>> = {
  datagrams: 'WebTransport datagrams',
  streams: 'WebTransport streams',
  http: 'HTTP',
};

/** Says how the next segment will come; marked where that is less than was asked for. */
export function showDelivery(badge: HTMLElement, current: Delivery, wanted: DemoDelivery): void {
  badge.textContent = wanted === 'plain' ? 'HTTP, plain dash.js' : names[current];
  badge.classList.toggle('http', current === 'http');
  const isLess = wanted === 'auto' ? current === 'http' : wanted !== 'plain' && wanted !== current;
  badge.classList.toggle('fallback', isLess);
}
