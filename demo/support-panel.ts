import type { PathReport, SessionEvent } from '../player/api/types.js';
import { create } from './dom.js';
import { formatBitrate, formatBytes } from './format.js';
import { supportItems, type Support, type SupportItem } from './support.js';

type SessionFailure = Exclude<SessionEvent, { state: 'opened' }>;

/** Lists what the browser has and how the WebTransport session stands. */
export class SupportPanel {
  #session: HTMLElement;
  #paths: readonly HTMLElement[] = [];

  constructor(container: HTMLElement, support: Support) {
    this.#session = row({ name: 'WebTransport session', present: false, meaning: 'none asked for yet' });
    container.append(...supportItems(support).map(row), this.#session);
  }

  showSession(event: SessionEvent): void {
    const present = event.state === 'opened';
    const meaning = event.state === 'opened' ? `open: ${event.url}` : `${event.state}: ${failureText(event)}`;
    const current = row({ name: 'WebTransport session', present, meaning });
    this.#session.replaceWith(current);
    this.#session = current;
  }

  /** Where several paths are used. */
  showPaths(paths: readonly PathReport[]): void {
    for (const former of this.#paths) former.remove();
    this.#paths = paths.map((path) =>
      row({ name: `Path ${new URL(path.url).host}`, present: path.state === 'open', meaning: pathText(path) }),
    );
    this.#session.after(...this.#paths);
  }
}

/** What came over one of several paths: `open, 20 ms, 12.4 MB, 3.10 Mbit/s`. */
export function pathText({ state, bytes, rate, roundTrip, lossRate, cost, error }: PathReport): string {
  const facts = [
    state,
    roundTrip !== undefined && `${roundTrip.toFixed(0)} ms`,
    formatBytes(bytes),
    rate !== undefined && formatBitrate(rate),
    lossRate > 0 && `${(100 * lossRate).toFixed(1)} % lost`,
    cost > 0 && 'metered',
    error?.message,
  ];
  return facts.filter((fact) => fact !== false && fact !== undefined).join(', ');
}

/** Why there is no session, and when there will be another attempt. Browsers end their messages with a full stop, the plugin does not. */
export function failureText({ message, retryIn }: Pick<SessionFailure, 'message' | 'retryIn'>): string {
  const reason = message.replace(/\.$/, '');
  if (retryIn === undefined) return reason;
  return `${reason}; ${retryIn === 0 ? 'the next segment opens another' : `next attempt in ${retryIn.toFixed(0)} s`}`;
}

function row({ name, present, meaning }: SupportItem): HTMLElement {
  return create('li', {
    class: present ? 'present' : 'absent',
    children: [
      create('b', { text: name }),
      create('span', { class: 'hidden', text: present ? ': yes, ' : ': no, ' }),
      create('span', { text: meaning }),
    ],
  });
}
