import { UserError } from '../../tools/setup/process.mjs';
import type { Fields } from './fields.js';

/** The thesis' testbed (§6.4.4, §6.4.5): 30 ms, and a queue of 1.25 times what that holds at 10 Mbit/s. */
const PAPER_QUEUE_PACKETS = 32;
const PAPER_DELAY_MS = 15;

/** Requests and acknowledgements are never what a trial waits for. */
const UPLINK_MBPS = 100;

/** The way between server and client, but for the rate, which is the trace's. */
export interface PathSpec {
  /** As people read it, and as the configuration names it where it does. */
  readonly name: string;
  /** Each way. */
  readonly delayMs: number;
  /** As in a link file. */
  readonly queue: object;
  /** From the server to the client, as in a link file. */
  readonly loss: LossSpec;
  readonly upMbps: number;
}

export interface LossSpec {
  readonly percent: number;
  /** Packets; undefined: losses are independent of each other. */
  readonly meanBurst?: number;
}

/** Throws a `UserError` where two of the paths have the same name. */
export function pathSpecs(paths: readonly (Fields | string)[]): PathSpec[] {
  const specs = paths.map(pathSpec);
  requireUnique('paths', specs);
  return specs;
}

/** Throws a `UserError` where two have the same name. */
export function requireUnique(field: string, specs: readonly { readonly name: string }[]): void {
  const twice = specs.find(({ name }, index) => specs.findIndex((other) => other.name === name) < index);
  if (twice) throw new UserError(`${field}: name must differ, got '${twice.name}' twice`);
}

export function pathSpec(fields: Fields | string): PathSpec {
  if (typeof fields === 'string') throw new UserError(`paths must be a list of objects, got '${fields}'`);
  const delayMs = fields.optionalNumber('delayMs', { low: 0, high: 60_000 }) ?? PAPER_DELAY_MS;
  const loss = lossSpec(fields.object('loss', { percent: 0 }));
  const spec: PathSpec = {
    name: fields.optionalText('name') ?? nameOf(delayMs, loss),
    delayMs,
    // linkemu checks it, with messages of its own.
    queue: fields.optionalJson('queue') ?? { discipline: 'drop-tail', limit: { packets: PAPER_QUEUE_PACKETS } },
    loss,
    upMbps: fields.optionalNumber('upMbps', { low: 0.01, high: 10_000 }) ?? UPLINK_MBPS,
  };
  fields.end();
  return spec;
}

function lossSpec(fields: Fields): LossSpec {
  const percent = fields.number('percent', { low: 0, high: 90 });
  const meanBurst = fields.optionalNumber('meanBurst', { low: 1, high: 10_000 });
  fields.end();
  return meanBurst === undefined ? { percent } : { percent, meanBurst };
}

function nameOf(delayMs: number, { percent, meanBurst }: LossSpec): string {
  const bursts = meanBurst === undefined ? '' : ` in bursts of ${meanBurst}`;
  return `${2 * delayMs} ms${percent === 0 ? '' : `, ${percent} % loss${bursts}`}`;
}
