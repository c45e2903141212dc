import { KEEPS_UP } from '../../../src/delivery/index.js';

/** Seconds that the first segment has over HTTP, and that the rest of it may take then: the viewer waits for all of it. */
const PATIENCE = 1;

/** Milliseconds between two looks. */
const LOOK_INTERVAL = 100;

/** Whether a download that has run for `elapsed` seconds is slow: what is left would take more than `patience` seconds at its rate. */
export function isSlow(
  elapsed: number,
  { loaded, total }: { readonly loaded: number; readonly total: number },
  patience: number,
): boolean {
  return elapsed >= PATIENCE && elapsed * (total - loaded) > patience * loaded;
}

/** A first segment that HTTP brings. */
export interface SlowStart {
  /** When it was asked for, on the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Bytes. */
  readonly total: number;
  /** Bytes here; undefined: it has ended, or may not be taken back any more. */
  readonly loaded: () => number | undefined;
  /** Seconds that it lasts, where it is shown while it comes. */
  readonly duration?: number;
  readonly canTakeOver: () => boolean;
  readonly takeOver: () => void;
}

/**
 * Looks after a segment that HTTP brings because no session was open: with losses that may take ten seconds for what a session, of which
 * a part is enough to begin with, brings in one. Where it is slow and a session can take over it does; what had come is lost: at most
 * what came in that time. Once the player has been given a piece of it, it stays with HTTP.
 */
export function watchSlowStart({
  startedAt,
  total,
  loaded: look,
  duration = 0,
  canTakeOver,
  takeOver,
}: SlowStart): void {
  // What is shown while it comes would be thrown away to begin anew.
  const patience = Math.max(PATIENCE, KEEPS_UP * duration);
  const timer = setInterval(() => {
    const loaded = look();
    if (loaded === undefined) clearInterval(timer);
    else if (isSlow((performance.now() - startedAt) / 1000, { loaded, total }, patience) && canTakeOver()) {
      clearInterval(timer);
      takeOver();
    }
  }, LOOK_INTERVAL);
}
