import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { UserError } from '../../tools/setup/process.mjs';
import { atMost, barLine, type Bar } from '../sim/report/bar.js';
import { PARSERS, type Parser } from './parsers/cases.js';

export const usage = `npm run bench -- parsers [--json] [--only NAME,…]: time and memory of everything that reads what a network sends, for the worst inputs
that are known: four times the input may take little more than four times as long. --only: some of them. --json: one object on
standard output. Exit code 1 where a bar is missed.`;

export const options = { json: { type: 'boolean', default: false }, only: { type: 'string' } } as const;

/** Growth of the processor time for four times the input: n log n, and what a busy machine adds. */
const MOST_GROWTH = 6;
/** Bytes of memory that a byte of input may take, as a rule. */
const MOST_MEMORY = 500;
/** The least of so many runs of each size, in turn, counts. */
const RUNS = 5;

interface Figures {
  /** Bytes of the smaller input. */
  readonly bytes: number;
  /** Milliseconds of processor time for it, and for the one of four times its size. */
  readonly small: number;
  readonly large: number;
  /** Bytes of memory for each byte of the larger input. */
  readonly memory: number;
}

export function main({ json, only }: { json: boolean; only?: string }): Bar[] {
  const names = only?.split(',') ?? Object.keys(PARSERS);
  const unknown = names.find((name) => !Object.hasOwn(PARSERS, name));
  if (unknown !== undefined)
    throw new UserError(`--only must be a list of ${Object.keys(PARSERS).join(', ')}, got '${unknown}'`);
  const figures = Object.fromEntries(names.map((name) => [name, measure(PARSERS[name]!)]));
  const bars = Object.entries(figures).flatMap(([name, of]) => barsOf(name, of));
  if (json) console.log(JSON.stringify({ parsers: figures, bars }));
  else print(figures, bars);
  return bars;
}

function measure({ size, make }: Parser): Figures {
  const [small, large] = [make(size), make(4 * size)];
  const times = { small: Infinity, large: Infinity };
  for (let run = 0; run < RUNS; run++) {
    times.small = Math.min(times.small, processorTime(small.parse));
    times.large = Math.min(times.large, processorTime(large.parse));
  }
  const memory = memoryOf(large.parse) / large.bytes;
  return { bytes: small.bytes, ...times, memory };
}

/** Milliseconds. */
function processorTime(parse: () => unknown): number {
  collectGarbage();
  const before = process.cpuUsage();
  parse();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Bytes of what is made and kept, and of what has not been collected meanwhile. */
function memoryOf(parse: () => unknown): number {
  collectGarbage();
  const before = process.memoryUsage();
  const kept = parse();
  const after = process.memoryUsage();
  // Used here, so that it is not collected before.
  if (kept === undefined) throw new Error('a case must return what its parser makes');
  return after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function barsOf(name: string, { small, large, memory }: Figures): Bar[] {
  return [
    atMost(`${name}: time for four times the input`, large / small, MOST_GROWTH),
    atMost(`${name}: bytes of memory for a byte`, memory, PARSERS[name]!.memory ?? MOST_MEMORY),
  ];
}

function print(figures: Record<string, Figures>, bars: readonly Bar[]): void {
  for (const [name, { bytes, small, large }] of Object.entries(figures)) {
    const perByte = ((1e6 * small) / bytes).toFixed(0);
    console.log(
      `${name}: ${bytes} bytes in ${small.toFixed(1)} ms, ${perByte} ns a byte; four times: ${large.toFixed(1)} ms`,
    );
  }
  console.log(`\n${bars.map(barLine).join('\n')}`);
}
