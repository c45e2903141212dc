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
  /** Delays and losses that come with the rates, as `--conditions` of the simulator has them, files absolute. Absent: the path's. */
  readonly conditions?: string;
}

/** Stands in for a record of conditions that is absent. */
export const CONDITIONS_STAND_IN = 'satellite-like';

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
  const conditions = value.optionalText('conditions');
  value.end();
  return conditions === undefined ? spec : { ...spec, conditions: source(conditions) };
}

/** Its stand-in, which needs no data. */
export function standIn({ conditions, ...spec }: TraceSpec): TraceSpec {
  return {
    ...spec,
    source: spec.otherwise ?? spec.source,
    otherwise: undefined,
    ...(conditions !== undefined && { conditions: CONDITIONS_STAND_IN }),
  };
}

/** Generators and formulas have no slash and no extension in their names. */
function isFile(source: string): boolean {
  return /[/\\]|\.(csv|sum|down|up)$/.test(source);
}
