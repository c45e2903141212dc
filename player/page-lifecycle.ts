import type { SessionManager } from './session-manager.js';

/**
 * Has sessions end while the page is put aside, for a page with an open one does not go into the back-forward cache, and open
 * again when it is shown or the network is back. The function returned ends that.
 */
export function followPage(sessions: Pick<SessionManager, 'pause' | 'resume' | 'retryNow'>): () => void {
  const attached = new AbortController();
  const on = (target: EventTarget, type: string, listener: () => void): void =>
    target.addEventListener(type, listener, attached);
  const pause = (): void => sessions.pause();
  const resume = (): void => sessions.resume();
  on(window, 'pagehide', pause);
  on(window, 'pageshow', resume);
  on(document, 'freeze', pause);
  on(document, 'resume', resume);
  on(window, 'online', () => sessions.retryNow());
  return () => attached.abort();
}
