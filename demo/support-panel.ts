import type { SessionEvent } from '../player/types.js';
import { create } from './dom.js';
import { supportItems, type Support, type SupportItem } from './support.js';

/** Lists what the browser has and how the WebTransport session stands. */
export class SupportPanel {
  #session: HTMLElement;

  constructor(container: HTMLElement, support: Support) {
    this.#session = row({ name: 'WebTransport session', present: false, meaning: 'none asked for yet' });
    container.append(...supportItems(support).map(row), this.#session);
  }

  showSession(event: SessionEvent): void {
    const present = event.state === 'opened';
    const meaning = present ? `open: ${event.url}` : `${event.state}: ${event.message}${retryText(event.retryIn)}`;
    const current = row({ name: 'WebTransport session', present, meaning });
    this.#session.replaceWith(current);
    this.#session = current;
  }
}

function retryText(retryIn: number | undefined): string {
  if (retryIn === undefined) return '';
  return retryIn === 0 ? '; the next segment opens another' : `; next attempt in ${retryIn.toFixed(0)} s`;
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
