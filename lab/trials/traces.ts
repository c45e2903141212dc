import { existsSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { say, UserError } from '../../tools/setup/process.mjs';
import { GENERATORS } from '../sim/link/trace-generators.js';
import { readConditions, readTraces } from '../sim/link/trace-source.js';
import { offsetToMean, scaled, underRecord, type Trace } from '../sim/link/trace.js';
import type { TrialsConfig } from './config.js';
import { CONDITIONS_STAND_IN, type TraceSpec } from './trace-spec.js';

/** Reads a configuration's traces. Throws a `UserError`. */
export function tracesOf({ traces, seed }: Pick<TrialsConfig, 'traces' | 'seed'>): Trace[] {
  const all = traces.flatMap((spec) => tracesAt(spec, seed));
  const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) < index);
  if (twice) throw new UserError(`traces: '${twice.name}' is named twice`);
  return all;
}

/** A single trace. Throws a `UserError`. */
export function traceOf(spec: TraceSpec, seed: number): Trace {
  const [trace, ...others] = tracesAt(spec, seed);
  if (trace && others.length === 0) return trace;
  throw new UserError(`trace must be a single one, got '${spec.source}' with ${others.length + 1}`);
}

function tracesAt(spec: TraceSpec, seed: number): Trace[] {
  const { meanMbps, scale = 1, conditions } = spec;
  const traces = readSource(sourceOf(spec), seed).map((trace) =>
    scaled(meanMbps === undefined ? trace : offsetToMean(trace, meanMbps * 1e6), scale),
  );
  if (conditions === undefined) return traces;
  const record = readConditions(presentOr(conditions, CONDITIONS_STAND_IN), seed);
  return underRecord(traces, record).map((trace) => ({ ...trace, name: `${trace.name} under ${record.name}` }));
}

/** Name of a single trace, as results have it. */
export function traceName(source: string): string {
  const [, generator, number] = /^([\w-]+-like):(\d+)$/.exec(source) ?? [];
  if (generator !== undefined) return `${generator}-${number!.padStart(2, '0')}`;
  return source.includes('/') ? basename(source, extname(source)) : source;
}

function sourceOf({ source, otherwise }: TraceSpec): string {
  return otherwise === undefined ? source : presentOr(source, otherwise);
}

function presentOr(source: string, otherwise: string): string {
  const isFile = source.includes('/');
  if (!isFile || existsSync(source)) return source;
  say(`${source} is absent: taking ${otherwise} instead`);
  return otherwise;
}

function readSource(source: string, seed: number): Trace[] {
  const [, generator, number] = /^([\w-]+):(\d+)$/.exec(source) ?? [];
  if (generator === undefined || !Object.hasOwn(GENERATORS, generator)) return readTraces(source, seed);
  const trace = readTraces(generator, seed)[Number(number) - 1];
  if (!trace) throw new UserError(`${source}: ${generator} has no trace with that number`);
  return [trace];
}
