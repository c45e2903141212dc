import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { UserError } from '../../../tools/setup/process.mjs';
import { CONDITION_GENERATORS } from './condition-generators.js';
import { parseConditions, type ConditionRecord } from './conditions.js';
import { parseFieldTraces } from './field-traces.js';
import { GENERATORS } from './trace-generators.js';
import { TRACE_SETS, traceSet } from './trace-sets.js';
import { makeTrace, parseCsvTrace, parseMahimahiTrace, parseRateTrace, parseSumTrace, type Trace } from './trace.js';

/** Parsers by file name extension. */
const PARSERS: Record<string, (name: string, text: string) => Trace> = {
  '.csv': parseCsvTrace,
  '.sum': parseSumTrace,
  '.trace': parseRateTrace,
  '.down': parseMahimahiTrace,
  '.up': parseMahimahiTrace,
};

/** Seconds of a trace that is given by a formula. */
const CONSTANT_SECONDS = 600;

/**
 * What `--traces` names: a folder (its trace files, by name), a file, `constant:MBPS`, `step:MBPS,MBPS@SECONDS`, a generator, or a
 * set of traces (`trace-sets.ts`). `onTaken` hears what was taken for what of files that others have recorded. Throws a `UserError`.
 */
export function readTraces(source: string, seed: number, onTaken: (line: string) => void = () => undefined): Trace[] {
  const generate = Object.hasOwn(GENERATORS, source) ? GENERATORS[source as keyof typeof GENERATORS] : undefined;
  if (generate) return generate(seed);
  const set = TRACE_SETS.find((name) => name === source);
  if (set) return traceSet(set, (folder) => filesIn(folder).flatMap((path) => readTraceFile(path, onTaken)));
  const constant = /^constant:([\d.]+)$/.exec(source);
  if (constant) return [makeTrace(source, CONSTANT_SECONDS, [Number(constant[1]) * 1e6])];
  const step = /^step:([\d.]+),([\d.]+)@(\d+)$/.exec(source);
  if (step) return [stepTrace(source, Number(step[1]) * 1e6, Number(step[2]) * 1e6, Number(step[3]))];
  return filesIn(source).flatMap((path) => readTraceFile(path, onTaken));
}

/** What `--conditions` names: a file, a folder (its files as one record, by name), or a generator. Throws a `UserError`. */
export function readConditions(source: string, seed: number): ConditionRecord {
  const generate = Object.hasOwn(CONDITION_GENERATORS, source)
    ? CONDITION_GENERATORS[source as keyof typeof CONDITION_GENERATORS]
    : undefined;
  if (generate) return generate(seed);
  const files = filesIn(source, ['.csv']);
  const records = files.map((path) => parseConditions(basename(path, extname(path)), readFileSync(path, 'utf8')));
  const { step } = records[0]!;
  const other = records.find((record) => record.step !== step);
  if (other)
    throw new UserError(`${source}: ${other.name} has steps of ${other.step} s, ${records[0]!.name} of ${step} s`);
  return { name: basename(source, '.csv'), step, conditions: records.flatMap(({ conditions }) => conditions) };
}

function stepTrace(name: string, before: number, after: number, second: number): Trace {
  return makeTrace(
    name,
    1,
    Array.from({ length: CONSTANT_SECONDS }, (_, index) => (index < second ? before : after)),
  );
}

function filesIn(source: string, extensions: readonly string[] = Object.keys(PARSERS)): string[] {
  const stats = statSync(source, { throwIfNoEntry: false });
  if (!stats) throw new UserError(`no traces at '${source}': expected a file, a folder or a generator (see --help)`);
  if (!stats.isDirectory()) return [source];
  const files = readdirSync(source).filter((name) => extensions.includes(extname(name)));
  if (files.length === 0) throw new UserError(`${source}: the folder has no trace files (${extensions.join(', ')})`);
  return files.sort().map((name) => join(source, name));
}

function readTraceFile(path: string, onTaken: (line: string) => void): readonly Trace[] {
  const parse = PARSERS[extname(path)];
  if (!parse) throw new UserError(`${path}: the name of a trace must end in one of ${Object.keys(PARSERS).join(', ')}`);
  const name = basename(path, extname(path));
  const text = readFileSync(path, 'utf8');
  const field = parse === parseCsvTrace ? parseFieldTraces(name, text) : undefined;
  if (!field) return [parse(name, text)];
  onTaken(field.taken);
  return field.traces;
}
