import { create } from './dom.js';
import type { Notice, NoticeKey } from './notices.js';

interface ShownNotice {
  readonly article: HTMLElement;
  readonly detail: HTMLElement;
  readonly count: HTMLElement;
  times: number;
}

/** The page's list of problems: the same problem stands there once, with how often it came and its latest detail. */
export class NoticeList {
  readonly #container: HTMLElement;
  readonly #shown = new Map<NoticeKey, ShownNotice>();

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  show(notice: Notice): void {
    const shown = this.#shown.get(notice.key) ?? this.#add(notice);
    shown.times++;
    shown.detail.textContent = notice.detail;
    shown.count.textContent = shown.times > 1 ? ` (${shown.times} times)` : '';
  }

  /** These problems are over. */
  withdraw(...keys: readonly NoticeKey[]): void {
    for (const key of keys) {
      this.#shown.get(key)?.article.remove();
      this.#shown.delete(key);
    }
  }

  #add({ key, severity, title, advice }: Notice): ShownNotice {
    const detail = create('code');
    const count = create('span');
    const article = create('article', {
      class: `notice ${severity}`,
      children: [create('h2', { text: title, children: [count] }), create('p', { text: advice }), detail],
      attributes: { role: severity === 'error' ? 'alert' : 'status', 'data-key': key },
    });
    this.#container.append(article);
    const shown = { article, detail, count, times: 0 };
    this.#shown.set(key, shown);
    return shown;
  }
}
