import type { Route, Trial } from './plan.js';

/** The name of a single path, and so that of the emulator's logs: `link-down.csv`. */
const PATH_NAME = 'link';

/** Never what a trial waits for. */
const UP_QUEUE_PACKETS = 1000;

/** A trial's link as linkemu reads it; all of the traces are in it. */
export function linkFile({ bundle, trace, startSeconds, path, seed }: Trial): object {
  const routes = bundle ?? [{ ...path, name: PATH_NAME, trace, startSeconds }];
  return { seed, paths: routes.map(linkPath) };
}

/** Of the emulator's logs: of each path, or of the only one. `paths`: those of a trial or of its result. */
export function pathNames(paths: readonly { readonly name: string }[] = [{ name: PATH_NAME }]): string[] {
  return paths.map(({ name }) => name);
}

function linkPath({ name, trace, startSeconds, delayMs, queue, loss, upMbps }: Route): object {
  const steps = Array.from(trace.rates, (rate) => ({ seconds: trace.step, mbps: rate / 1e6 }));
  const up = { discipline: 'drop-tail', limit: { packets: UP_QUEUE_PACKETS } };
  return {
    name,
    down: { trace: { steps, startSeconds }, queue, delayMs, loss },
    up: { trace: { mbps: upMbps }, queue: up, delayMs },
  };
}
