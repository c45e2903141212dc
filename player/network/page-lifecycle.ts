import type { SessionManager } from './session-manager.js';

/**
 * Has sessions end while the page is put aside and open again when it is shown or the network is back; the function returned
 * ends that. Chromium 156 breaks an open session itself as the page enters the back-forward cache: downloads would then go over
 * HTTP just as the page is frozen.
 */
export function followPage(sessions: Pick<SessionManager, 'pause' | 'resume' | 'retryNow'>): () => void {
  // Rendered on a server there is no page to follow.
  if (typeof window === 'undefined') return () => undefined;
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
