import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../../tools/setup/process.mjs';
import type { Conditions } from '../sim/link/conditions.js';
import type { Fields } from './fields.js';

/** A path carries nothing in either direction between these seconds of the link's time, and what waits in its queues waits. */
export interface Outage {
  readonly start: number;
  readonly stop: number;
}

/** A rate that holds for a while, as in a link file, and what else does. */
export interface LinkStep extends Partial<Conditions> {
  readonly seconds: number;
  readonly mbps: number;
}

/** Seconds of the link's time for which a trace with outages is written out: they do not come again where it repeats. */
const WRITTEN_OUT = 7200;

const LATEST = 3600;

/** The field `outages`, in order; undefined: there is none. Throws a `UserError`. */
export function outageSpecs(fields: Fields): readonly Outage[] | undefined {
  if (!fields.has('outages')) return undefined;
  let end = 0;
  return fields.list('outages').map((outage) => {
    if (typeof outage === 'string') throw new UserError(`outages must be a list of objects, got '${outage}'`);
    const start = outage.number('start', { low: end, high: LATEST });
    end = outage.number('stop', { low: start, high: LATEST });
    outage.end();
    return { start, stop: end };
  });
}

/** A repeating trace from `from` seconds on, with nothing in the outages. */
export function interrupted(steps: readonly LinkStep[], from: number, outages: readonly Outage[]): LinkStep[] {
  const result: LinkStep[] = [];
  const add = (step: LinkStep): void => {
    const last = result.at(-1);
    if (last && isDeepStrictEqual({ ...last, seconds: step.seconds }, step))
      result[result.length - 1] = { ...last, seconds: last.seconds + step.seconds };
    else if (step.seconds > 0) result.push(step);
  };
  const period = steps.reduce((sum, { seconds }) => sum + seconds, 0);
  const bounds = [...outages.flatMap(({ start, stop }) => [start, stop]), WRITTEN_OUT];
  let [skip, now, index] = [from % period, 0, 0];
  for (; skip >= steps[index]!.seconds; index++) skip -= steps[index]!.seconds;
  for (; now < WRITTEN_OUT; index = (index + 1) % steps.length) {
    const step = steps[index]!;
    const stop = Math.min(WRITTEN_OUT, now + step.seconds - skip);
    skip = 0;
    while (now < stop) {
      const next = Math.min(stop, ...bounds.filter((bound) => bound > now));
      const isOut = outages.some((outage) => now >= outage.start && now < outage.stop);
      add({ ...step, seconds: next - now, ...(isOut && { mbps: 0 }) });
      now = next;
    }
  }
  return result;
}

/** The same in a session that is shorter by a factor. */
export function sooner(outages: readonly Outage[], factor: number): Outage[] {
  return outages.map(({ start, stop }) => ({ start: factor * start, stop: factor * stop }));
}
