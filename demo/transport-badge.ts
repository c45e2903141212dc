import type { SegmentTransport } from '../player/types.js';
import type { DemoTransport } from './settings.js';

const names: Readonly<Record<SegmentTransport, string>> = {
  datagrams: 'WebTransport datagrams',
  reliable: 'WebTransport, reliable',
  http: 'HTTP',
};

/** Says how the next segment will come; marked where that is less than was asked for. */
export function showTransport(badge: HTMLElement, current: SegmentTransport, wanted: DemoTransport): void {
  badge.textContent = wanted === 'plain' ? 'HTTP, plain dash.js' : names[current];
  badge.classList.toggle('http', current === 'http');
  badge.classList.toggle('fallback', wanted !== 'plain' && wanted !== current);
}
