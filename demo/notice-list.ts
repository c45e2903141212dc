import { create } from './dom.js';
import type { Notice } from './notices.js';

interface ShownNotice {
  readonly detail: HTMLElement;
  readonly count: HTMLElement;
  times: number;
}

/** The page's list of problems: the same problem stands there once, with how often it came and its latest detail. */
export class NoticeList {
  readonly #container: HTMLElement;
  readonly #shown = new Map<string, ShownNotice>();

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  show(notice: Notice): void {
    const shown = this.#shown.get(notice.key) ?? this.#add(notice);
    shown.times++;
    shown.detail.textContent = notice.detail;
    shown.count.textContent = shown.times > 1 ? ` (${shown.times} times)` : '';
  }

  #add({ key, severity, title, advice }: Notice): ShownNotice {
    const shown = { detail: create('code'), count: create('span'), times: 0 };
    const heading = create('h2', { text: title, children: [shown.count] });
    this.#container.append(
      create('article', {
        class: `notice ${severity}`,
        children: [heading, create('p', { text: advice }), shown.detail],
        attributes: { role: severity === 'error' ? 'alert' : 'status', 'data-key': key },
      }),
    );
    this.#shown.set(key, shown);
    return shown;
  }
}
