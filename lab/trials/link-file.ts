import { interrupted, type LinkStep } from './outage.js';
import type { Route, Trial } from './plan.js';

/** The name of a single path, and so that of the emulator's logs: `link-down.csv`. */
const PATH_NAME = 'link';

/** Never what a trial waits for. */
const UP_QUEUE_PACKETS = 1000;

/** What a link is made of. */
type Wanted = Pick<Trial, 'bundle' | 'trace' | 'startSeconds' | 'path' | 'seed'>;

/** A trial's link as linkemu reads it; all of the traces are in it. */
export function linkFile({ bundle, trace, startSeconds, path, seed }: Wanted): { seed: number; paths: object[] } {
  const routes = bundle ?? [{ ...path, name: PATH_NAME, trace, startSeconds }];
  return { seed, paths: routes.map(linkPath) };
}

/** Names in the emulator's logs: each path's, or that of the only one. `paths`: those of a trial or of its result. */
export function pathNames(paths: readonly { readonly name: string }[] = [{ name: PATH_NAME }]): string[] {
  return paths.map(({ name }) => name);
}

function linkPath({ name, trace, startSeconds, delayMs, queue, loss, upMbps, outages }: Route): object {
  const steps = Array.from(trace.rates, (rate, index) => ({
    seconds: trace.step,
    mbps: rate / 1e6,
    ...trace.conditions?.[index],
  }));
  // Packets travel for as long upwards, but none of them is lost.
  const upwards = trace.conditions?.map(({ delayMs: added }) => ({
    seconds: trace.step,
    mbps: upMbps,
    delayMs: added,
  }));
  const up = { discipline: 'drop-tail', limit: { packets: UP_QUEUE_PACKETS } };
  const played = (all: readonly LinkStep[]): object =>
    outages ? { steps: interrupted(all, startSeconds, outages) } : { steps: all, startSeconds };
  const constant = outages ? { steps: interrupted([{ seconds: 1, mbps: upMbps }], 0, outages) } : { mbps: upMbps };
  return {
    name,
    down: { trace: played(steps), ...{ queue, delayMs, loss } },
    up: { trace: upwards ? played(upwards) : constant, ...{ queue: up, delayMs } },
  };
}
