import type { PlayerRequest } from '../../port/player-request.js';

/** Seconds that the first segment has over HTTP, and that the rest of it may take then. */
const PATIENCE = 1;

/** Milliseconds between two looks. */
const LOOK_INTERVAL = 100;

/** Whether a download that has run for `elapsed` seconds is slow: what is left would take long at its rate. */
export function isSlow(
  elapsed: number,
  { loaded, total }: { readonly loaded: number; readonly total: number },
): boolean {
  return elapsed >= PATIENCE && elapsed * (total - loaded) > PATIENCE * loaded;
}

/**
 * Looks after a segment that the player's own loader brings because no session was open: with losses HTTP may take ten
 * seconds for what a session, of which a part is enough to begin with, brings in one. Takes it back where it is slow and
 * `canTakeOver`; then calls `takeOver`. What had come of it is lost: at most what came in that time.
 */
export function watchSlowStart(
  answer: PlayerRequest,
  { total, canTakeOver, takeOver }: { total: number; canTakeOver: () => boolean; takeOver: () => void },
): void {
  const startedAt = answer.earlyAt ?? performance.now();
  const timer = setInterval(() => {
    const loaded = answer.ownLoaded?.();
    if (loaded === undefined) clearInterval(timer);
    else if (isSlow((performance.now() - startedAt) / 1000, { loaded, total }) && canTakeOver()) {
      clearInterval(timer);
      answer.takeBack?.();
      takeOver();
    }
  }, LOOK_INTERVAL);
}
