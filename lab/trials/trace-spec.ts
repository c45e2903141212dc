import { resolve } from 'node:path';
import type { Fields } from './fields.js';

export interface TraceSpec {
  /** The source as `--traces` of the simulator has it, files absolute; or `GENERATOR:N`, a generator's Nth trace. */
  readonly source: string;
  /** Stands in where the source's file is absent. */
  readonly otherwise: string | undefined;
  /** A constant is added to every rate so that this is the mean (thesis §6.4.5). */
  readonly meanMbps: number | undefined;
  /** Every rate is multiplied by this, after that: for a ladder of lower rates than the link was recorded for. */
  readonly scale: number | undefined;
}

/** Files are relative to `folder`. */
export function traceSpec(value: Fields | string, folder: string): TraceSpec {
  const source = (text: string) => (isFile(text) ? resolve(folder, text) : text);
  if (typeof value === 'string') {
    return { source: source(value), otherwise: undefined, meanMbps: undefined, scale: undefined };
  }
  const spec: TraceSpec = {
    source: source(value.text('source')),
    otherwise: value.optionalText('otherwise'),
    meanMbps: value.optionalNumber('meanMbps', { low: 0.001, high: 1e6 }),
    scale: value.optionalNumber('scale', { low: 0.001, high: 1000 }),
  };
  value.end();
  return spec;
}

/** Its stand-in, which needs no data. */
export function standIn(spec: TraceSpec): TraceSpec {
  return { ...spec, source: spec.otherwise ?? spec.source, otherwise: undefined };
}

/** Generators and formulas have no slash and no extension in their names. */
function isFile(source: string): boolean {
  return /[/\\]|\.(csv|sum|down|up)$/.test(source);
}
