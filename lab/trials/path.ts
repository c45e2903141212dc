import { UserError } from '../../tools/setup/process.mjs';
import { MOST_PATHS } from './addresses.js';
import type { Fields } from './fields.js';
import { outageSpecs, sooner, type Outage } from './outage.js';
import { standIn, traceSpec, type TraceSpec } from './trace-spec.js';

/** The thesis' testbed (§6.4.4, §6.4.5): 30 ms, and a queue of 1.25 times what that holds at 10 Mbit/s. */
const PAPER_QUEUE_PACKETS = 32;
const PAPER_DELAY_MS = 15;

/** Requests and acknowledgements are never what a trial waits for. */
const UPLINK_MBPS = 100;

/** The way between server and client, but for the rate, which is the trace's. */
export interface PathSpec {
  /** The name that people read, and as the configuration names it where it does. */
  readonly name: string;
  /** Each way. */
  readonly delayMs: number;
  /** The queue, as in a link file. */
  readonly queue: object;
  /** From the server to the client, as in a link file. */
  readonly loss: LossSpec;
  readonly upMbps: number;
  /** In order. Absent: none. */
  readonly outages?: readonly Outage[];
  /** Paths that a session may use together; all else is then the first one's. Absent: there is one. */
  readonly bundle?: readonly BundledPath[];
}

/** A path to another address of the server. Its name is that of the emulator's log. */
export interface BundledPath extends Omit<PathSpec, 'bundle'> {
  /** Absent: the trial's. */
  readonly trace?: TraceSpec;
  /** The cost, as in `voxel.json`. Absent: it costs nothing. */
  readonly cost?: number;
}

export interface LossSpec {
  readonly percent: number;
  /** Packets; undefined: losses are independent of each other. */
  readonly meanBurst?: number;
}

/** Throws a `UserError` where two of the paths have the same name. */
export function pathSpecs(paths: readonly (Fields | string)[], folder: string): PathSpec[] {
  const specs = paths.map((path) => pathSpec(path, folder));
  requireUnique('paths', specs);
  return specs;
}

/** Throws a `UserError` where two have the same name. */
export function requireUnique(field: string, specs: readonly { readonly name: string }[]): void {
  const twice = specs.find(({ name }, index) => specs.findIndex((other) => other.name === name) < index);
  if (twice) throw new UserError(`${field}: name must differ, got '${twice.name}' twice`);
}

/** Files are relative to `folder`. */
export function pathSpec(fields: Fields | string, folder: string): PathSpec {
  if (typeof fields === 'string') throw new UserError(`paths must be a list of objects, got '${fields}'`);
  const spec = fields.has('bundle') ? bundleSpec(fields, folder) : way(fields, fields.optionalText('name'));
  fields.end();
  return spec;
}

/** The same without recorded traces. */
export function withStandIns({ bundle, ...path }: PathSpec): PathSpec {
  if (!bundle) return path;
  return { ...path, bundle: bundle.map(({ trace, ...one }) => ({ ...one, ...(trace && { trace: standIn(trace) }) })) };
}

/** The same for a session that is shorter by a factor. */
export function shortenedPath({ bundle, ...path }: PathSpec, factor: number): PathSpec {
  const short = <Way extends Pick<PathSpec, 'outages'>>(way: Way): Way =>
    way.outages ? { ...way, outages: sooner(way.outages, factor) } : way;
  return { ...short(path), ...(bundle && { bundle: bundle.map(short) }) };
}

export function hasOutages({ outages, bundle = [] }: PathSpec): boolean {
  return outages !== undefined || bundle.some((path) => path.outages);
}

function bundleSpec(fields: Fields, folder: string): PathSpec {
  const bundle = fields.list('bundle').map((path) => bundledPath(path, folder));
  requireUnique('bundle', bundle);
  if (bundle.length < 2 || bundle.length > MOST_PATHS) {
    throw new UserError(`bundle must have 2 to ${MOST_PATHS} paths, got ${bundle.length}`);
  }
  const name = fields.optionalText('name') ?? bundle.map((path) => path.name).join(' and ');
  const { delayMs, queue, loss, upMbps } = bundle[0]!;
  return { name, delayMs, queue, loss, upMbps, bundle };
}

function bundledPath(fields: Fields | string, folder: string): BundledPath {
  if (typeof fields === 'string') throw new UserError(`bundle must be a list of objects, got '${fields}'`);
  const name = fields.text('name');
  if (!/^[\w-]+$/.test(name)) {
    throw new UserError(`bundle: name must consist of letters, digits, - and _, got '${name}'`);
  }
  const trace = fields.optionalTextOrObject('trace');
  const cost = fields.optionalNumber('cost', { low: 0, high: 1e6 });
  const spec: BundledPath = {
    ...way(fields, name),
    ...(trace !== undefined && { trace: traceSpec(trace, folder) }),
    ...(cost !== undefined && { cost }),
  };
  fields.end();
  return spec;
}

function way(fields: Fields, name: string | undefined): PathSpec {
  const delayMs = fields.optionalNumber('delayMs', { low: 0, high: 60_000 }) ?? PAPER_DELAY_MS;
  const loss = lossSpec(fields.object('loss', { percent: 0 }));
  const outages = outageSpecs(fields);
  return {
    name: name ?? nameOf(delayMs, loss),
    delayMs,
    // linkemu checks it, with messages of its own.
    queue: fields.optionalJson('queue') ?? { discipline: 'drop-tail', limit: { packets: PAPER_QUEUE_PACKETS } },
    loss,
    upMbps: fields.optionalNumber('upMbps', { low: 0.01, high: 10_000 }) ?? UPLINK_MBPS,
    ...(outages && { outages }),
  };
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
