import { UserError } from '../../../tools/setup/process.mjs';

/** What a link carries over time; repeated when a session outlasts it. */
export interface Trace {
  readonly name: string;
  /** Seconds that each rate holds. */
  readonly step: number;
  /** Bit/s. Never empty, none negative, not all 0. */
  readonly rates: Float64Array;
}

/** Bytes that one line of a Mahimahi delivery file stands for: one packet of the usual MTU. */
const MAHIMAHI_PACKET_BYTES = 1500;

/** Seconds over which Mahimahi's packets are counted: fine enough for 50 ms reviews, coarse enough to be quick. */
const MAHIMAHI_STEP = 0.1;

/** What a link is never offset below: one 1500-byte packet a second, the floor of the paper's own traces. */
const OFFSET_FLOOR = 12_000;

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

/** `second,mbps` lines under a header. Throws a `UserError` that names the line. */
export function parseCsvTrace(name: string, text: string): Trace {
  const [header, ...lines] = linesOf(text);
  if (header?.replaceAll(/\s/g, '') !== 'second,mbps')
    throw new UserError(`${name}:1: the header must be second,mbps, got '${header ?? ''}'`);
  return perStep(name, lines, { separator: ',', firstLine: 2, rate: (mbps) => mbps * 1e6 });
}

/** `second bytes` lines, as the authors of VOXEL publish their traces. Throws a `UserError` that names the line. */
export function parseSumTrace(name: string, text: string): Trace {
  return perStep(name, linesOf(text), { separator: /\s+/, firstLine: 1, rate: (bytes, step) => (bytes * 8) / step });
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

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

interface StepFormat {
  readonly separator: string | RegExp;
  /** For messages. */
  readonly firstLine: number;
  /** Bit/s that the second column stands for, over a step of so many seconds. */
  readonly rate: (value: number, step: number) => number;
}

function perStep(name: string, lines: readonly string[], { separator, firstLine, rate }: StepFormat): Trace {
  const rows = lines.map((line, index) => {
    const columns = line.split(separator).map((column) => (column.trim() === '' ? NaN : Number(column)));
    if (columns.length !== 2 || !columns.every(Number.isFinite)) {
      throw new UserError(`${name}:${index + firstLine}: not two numbers`);
    }
    return { second: columns[0]!, value: columns[1]! };
  });
  const step = rows.length > 1 ? rows[1]!.second - rows[0]!.second : 1;
  rows.forEach(({ second }, index) => {
    const ascends = step > 0 && (index === 0 || Math.abs(second - rows[index - 1]!.second - step) < 1e-6);
    if (!ascends) throw new UserError(`${name}:${index + firstLine}: the seconds must ascend by equal steps`);
  });
  return makeTrace(
    name,
    step,
    rows.map(({ value }) => rate(value, step)),
  );
}
