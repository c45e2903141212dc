import type { Trial } from './plan.js';

/** The path's name, and so that of the emulator's logs: `link-down.csv`. */
export const PATH_NAME = 'link';

/** Never what a trial waits for. */
const UP_QUEUE_PACKETS = 1000;

/** A trial's link as linkemu reads it; all of the trace is in it. */
export function linkFile({ trace, startSeconds, path, seed }: Trial): object {
  const { delayMs, queue, loss, upMbps } = path;
  const steps = Array.from(trace.rates, (rate) => ({ seconds: trace.step, mbps: rate / 1e6 }));
  const up = { discipline: 'drop-tail', limit: { packets: UP_QUEUE_PACKETS } };
  return {
    seed,
    paths: [
      {
        name: PATH_NAME,
        down: { trace: { steps, startSeconds }, queue, delayMs, loss },
        up: { trace: { mbps: upMbps }, queue: up, delayMs },
      },
    ],
  };
}
