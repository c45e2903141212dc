// @ts-check
import { performance } from 'node:perf_hooks';

/**
 * Gives a link a clock: what is offered is delivered when it has arrived.
 * @param {import('./link.mjs').Link<() => void>} link its packets are what to do when they arrive
 * @param {number} startedAt `performance.now()` when the link began
 * @param {() => void} [onTurn] called whenever something may have left the queue
 */
export function pump(link, startedAt, onTurn = () => undefined) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const now = () => performance.now() - startedAt;

  function schedule() {
    clearTimeout(timer);
    const next = link.nextEvent();
    if (next < Infinity) timer = setTimeout(turn, Math.max(0, next - now()));
  }

  function turn() {
    for (const deliver of link.arrivals(now())) deliver();
    onTurn();
    schedule();
  }

  return {
    now,
    turn,
    /** @param {number} bytes @param {() => void} deliver */
    offer(bytes, deliver) {
      link.offer(deliver, bytes, now());
      schedule();
    },
    /** @param {number} bytes @param {() => void} deliver */
    offerReliable(bytes, deliver) {
      link.offerReliable(deliver, bytes, now());
      schedule();
    },
    close: () => clearTimeout(timer),
  };
}
