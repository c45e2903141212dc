import { UserError } from '../../../tools/setup/process.mjs';
import {
  CONDITION_COLUMNS,
  conditionsOf,
  OPTIONAL_COLUMNS,
  type ConditionRecord,
  type Conditions,
} from './conditions.js';
import { evenRows, linesOf } from './rows.js';

/** What a link carries over time; repeated when a session outlasts it. */
export interface Trace {
  readonly name: string;
  /** Seconds that each rate holds. */
  readonly step: number;
  /** Bit/s. Never empty, none negative, not all 0. */
  readonly rates: Float64Array;
  /** Delay and loss of each step, where these change, too. */
  readonly conditions?: readonly Conditions[];
}

/** Bytes that one line of a Mahimahi delivery file stands for: one packet of the usual MTU. */
const MAHIMAHI_PACKET_BYTES = 1500;

/** Seconds over which Mahimahi's packets are counted: fine enough for 50 ms reviews, coarse enough to be quick. */
const MAHIMAHI_STEP = 0.1;

/** What a link is never offset below: one 1500-byte packet a second, the floor of the paper's own traces. */
const OFFSET_FLOOR = 12_000;

/** Quotients of seconds are rounded by so much. */
const ROUNDING = 1e-9;

/** A day: what a file may leave out is bounded. */
const MOST_SECONDS = 86_400;

/** Anything above is a mistake in the file's unit. */
const MAX_RATE = 1e12;

export function traceDuration(trace: Trace): number {
  return trace.step * trace.rates.length;
}

/** Seconds into a trace at which the start number `shift` of `shifts` lies: they are spread evenly. */
export function startOf(trace: Trace, shift: number, shifts: number): number {
  return (shift * traceDuration(trace)) / shifts;
}

export function meanRate({ rates }: Trace): number {
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}

/** Throws a `UserError` where the rates make no trace. */
export function makeTrace(name: string, step: number, rates: Iterable<number>): Trace {
  const trace = { name, step, rates: Float64Array.from(rates) };
  if (trace.rates.length === 0) throw new UserError(`${name}: the trace is empty`);
  if (trace.rates.some((rate) => !(rate >= 0 && rate <= MAX_RATE))) {
    throw new UserError(`${name}: every rate must be from 0 to 1 Tbit/s`);
  }
  if (trace.rates.every((rate) => rate === 0)) throw new UserError(`${name}: at least one rate must be above 0`);
  return trace;
}

/** Lines of `second,mbps`, or of that and of conditions (`conditions.ts`), under a header. Throws a `UserError` that names the line. */
export function parseCsvTrace(name: string, text: string): Trace {
  const [header, ...lines] = linesOf(text);
  const columns = (header ?? '').replaceAll(/\s/g, '');
  const [first, ...others] = columns.split(',mbps');
  const isKnown = first === 'second' && others.length === 1 && ['', ...CONDITION_COLUMNS].includes(others[0]!);
  if (!isKnown)
    throw new UserError(`${name}:1: the header must be second,mbps[,${OPTIONAL_COLUMNS}], got '${header ?? ''}'`);
  const count = columns.split(',').length;
  const { step, rows } = evenRows(name, lines, { separator: ',', firstLine: 2, columns: count });
  const trace = makeTrace(
    name,
    step,
    rows.map(([, mbps]) => mbps! * 1e6),
  );
  if (count === 2) return trace;
  return { ...trace, conditions: rows.map(([, , ...rest], index) => conditionsOf(rest, `${name}:${index + 2}`)) };
}

/** `second bytes` lines, as the authors of VOXEL publish their traces. Throws a `UserError` that names the line. */
export function parseSumTrace(name: string, text: string): Trace {
  const { step, rows } = evenRows(name, linesOf(text), { separator: /\s+/, firstLine: 1, columns: 2 });
  return makeTrace(
    name,
    step,
    rows.map(([, bytes]) => (bytes! * 8) / step),
  );
}

/**
 * `second mbps` lines, as SafeSABR's authors publish theirs. A rate holds until the next line: some seconds have none. Throws a `UserError` that
 * names the line.
 */
export function parseRateTrace(name: string, text: string): Trace {
  const rates: number[] = [];
  linesOf(text).forEach((line, index) => {
    const [second, mbps, ...rest] = line.split(/\s+/).map(Number);
    const place = `${name}:${index + 1}`;
    if (rest.length > 0 || !Number.isFinite(second) || !Number.isFinite(mbps))
      throw new UserError(`${place}: not two numbers`);
    const isNext =
      Number.isInteger(second) && second! < MOST_SECONDS && (index === 0 ? second === 0 : second! >= rates.length);
    if (!isNext) throw new UserError(`${place}: the seconds must ascend from 0 in whole ones`);
    while (rates.length < second!) rates.push(rates.at(-1)!);
    rates.push(mbps! * 1e6);
  });
  return makeTrace(name, 1, rates);
}

/** One line per packet that the link could carry: milliseconds since the start. Throws a `UserError` that names the line. */
export function parseMahimahiTrace(name: string, text: string): Trace {
  const times = linesOf(text).map((line, index, lines) => {
    if (!/^\d{1,9}$/.test(line))
      throw new UserError(`${name}:${index + 1}: must be a number of milliseconds, got '${line}'`);
    if (index > 0 && Number(line) < Number(lines[index - 1]))
      throw new UserError(`${name}:${index + 1}: ${line} ms is before the line above`);
    return Number(line) / 1000;
  });
  const rates = new Float64Array(Math.max(1, Math.ceil((times.at(-1) ?? 0) / MAHIMAHI_STEP)));
  for (const time of times) {
    const step = Math.min(Math.floor(time / MAHIMAHI_STEP), rates.length - 1);
    rates[step]! += (MAHIMAHI_PACKET_BYTES * 8) / MAHIMAHI_STEP;
  }
  return makeTrace(name, MAHIMAHI_STEP, rates);
}

/**
 * The same variation around another mean in bit/s: one constant is added to every rate (thesis §6.4.5). Rates stop at the
 * floor of the paper's traces, so the mean can end slightly above.
 */
export function offsetToMean(trace: Trace, mean: number): Trace {
  const offset = mean - meanRate(trace);
  return { ...trace, rates: trace.rates.map((rate) => Math.max(OFFSET_FLOOR, rate + offset)) };
}

export function scaled(trace: Trace, factor: number): Trace {
  return { ...trace, rates: trace.rates.map((rate) => factor * rate) };
}

/** The same under a record's conditions from `start` seconds on, in steps no longer than the record's. Throws a `UserError` where there are some already. */
export function withConditions(trace: Trace, { step, conditions }: ConditionRecord, start: number): Trace {
  if (trace.conditions) throw new UserError(`${trace.name}: has delays and losses of its own`);
  const parts = Math.max(1, Math.ceil(trace.step / step - ROUNDING));
  const finer = {
    ...trace,
    step: trace.step / parts,
    rates: Float64Array.from(
      { length: parts * trace.rates.length },
      (_, index) => trace.rates[Math.floor(index / parts)]!,
    ),
  };
  const at = (index: number) => Math.floor((start + index * finer.step) / step + ROUNDING) % conditions.length;
  return { ...finer, conditions: Array.from(finer.rates, (_, index) => conditions[at(index)]!) };
}

/** Traces one after the other under a record that goes on from each to the next. */
export function underRecord(traces: readonly Trace[], record: ConditionRecord): Trace[] {
  let start = 0;
  return traces.map((trace) => {
    const result = withConditions(trace, record, start);
    start += traceDuration(trace);
    return result;
  });
}
