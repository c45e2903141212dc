import { groupBy } from '../sim/report/group-by.js';
import { contentOf, runTask, tasksOf, type Experiment, type SessionResult } from '../sim/experiment.js';
import { readTraces } from '../sim/link/trace-source.js';
import { progressLine } from '../sim/report/progress-line.js';
import { constantsTable, VARIATIONS, variant } from '../sim/rivals/constants-table.js';
import {
  CONSTANTS_FILE,
  keep,
  keptConstant,
  keptConstants,
  keptLines,
  keptOf,
  RIVALS_FILE,
  type Kept,
  type KeptConstant,
} from '../sim/rivals/kept.js';
import { BUFFERS, OURS, RIVALS, rivalsBars, rivalsTables } from '../sim/rivals/report-traces.js';
import { BEFORE, FIRST_START_BUFFERS, inPieces, startsBars, startsTables, WHOLE } from '../sim/rivals/starts.js';
import { STOCK, tailsTables } from '../sim/rivals/tails.js';
import { SCENARIO } from './abr/section.js';
import { barLine, type Bar } from '../sim/report/bar.js';

export const usage = `npm run bench -- rivals [--constants] [--quick]: abr-star against SODA, RobustMPC, BBA and a Fugu-like rule on the report traces
and dash.js' Dynamic in simulation, 19,200 sessions, in its own measure and in SODA's, and how soon each begins.
--constants: instead of that, abr-star on the development traces
with each of its constants half and twice as large. What is played is kept in docs/results/simulated, and not played again:
a run that was cut off goes on there; delete the lines of a rule that has changed. --quick: every tenth trace from one
start, nothing kept. Then \`npm run evidence\` fills docs/results/simulated/README.md. Minutes of a core. Exit code 1 where a bar is missed.`;

const flag = { type: 'boolean', default: false } as const;

export const options = { constants: flag, quick: flag } as const;

/** Starts in each report trace. */
const SHIFTS = 6;

/** Starts in each development trace, where constants are varied. */
const CONSTANTS_SHIFTS = 1;

/** Every so many of the traces in a quick run. */
const QUICK_STRIDE = 10;

/** What is played on the report traces: rules, buffers and starts in each trace. */
const RUNS = [
  { rules: [...new Set([...OURS, ...RIVALS, BEFORE, ...WHOLE, STOCK])], buffers: BUFFERS, shifts: SHIFTS },
  { rules: WHOLE.map(inPieces), buffers: BUFFERS, shifts: 1 },
  { rules: ['abr-star', BEFORE], buffers: FIRST_START_BUFFERS, shifts: 1 },
] as const;

type Run = Pick<Experiment, 'rules' | 'buffers' | 'shifts'>;

/** Measures what is not kept, and prints. */
export function main({ constants, quick }: { constants: boolean; quick: boolean }): Bar[] {
  return constants ? varyConstants(quick) : playRivals(quick);
}

function playRivals(quick: boolean): Bar[] {
  const known = quick ? [] : keptLines(RIVALS_FILE);
  const lines = [...known, ...RUNS.flatMap((run) => play(run, known, quick))];
  const bars = [...rivalsBars(lines), ...startsBars(lines)];
  console.log(
    `${rivalsTables(lines)}\n\n${startsTables(lines)}\n\n${tailsTables(lines)}\n\n${bars.map(barLine).join('\n')}`,
  );
  return bars;
}

/** The lines of a run that are not known yet. */
function play({ rules, buffers, shifts }: Run, known: readonly Kept[], quick: boolean): Kept[] {
  const experiment = { ...experimentOn('report', quick, { rules, shifts: quick ? 1 : shifts }), buffers };
  const keyOf = ({ trace, abr, buffer }: Pick<Kept, 'trace' | 'abr' | 'buffer'>) => `${trace}\0${abr}\0${buffer}`;
  const done = new Set(known.map(keyOf));
  const isMissing = (trace: string, abr: string) => !done.has(keyOf({ trace, abr, buffer: buffers[0]! }));
  const left = experiment.traces.flatMap(({ name }, index) => {
    const missing = rules.filter((rule) => isMissing(name, rule));
    return missing.length === 0 ? [] : [{ name, index, missing }];
  });
  const progress = progressLine('report traces');
  return left.flatMap(({ name, index, missing }, count) => {
    const session = playerOf({ ...experiment, rules: missing });
    const results = Array.from({ length: experiment.shifts }, (_, shift) => session(index, shift)).flat();
    const fresh = linesOf(results, name);
    if (!quick) keep(RIVALS_FILE, fresh);
    progress(count + 1, left.length);
    return fresh;
  });
}

/** No bars: it shows what depends on a constant. */
function varyConstants(quick: boolean): Bar[] {
  const variants = VARIATIONS.flatMap(({ name, less, more }) => [variant(name, less), variant(name, more)]);
  const known = quick ? [] : keptConstants();
  const done = new Set(known.map(({ abr }) => abr));
  const left = variants.filter((rule) => !done.has(rule));
  const lines = [...known];
  const add = (fresh: readonly KeptConstant[]) => {
    if (!quick) keep(CONSTANTS_FILE, fresh);
    lines.push(...fresh);
  };
  const own = left.length > 0 ? playConstants('abr-star', quick) : undefined;
  if (own && !done.has('abr-star')) add([...own.values()].map((results) => keptConstant(results)));
  const progress = progressLine('constants');
  left.forEach((rule, count) => {
    const played = playConstants(rule, quick);
    add([...played].map(([buffer, results]) => keptConstant(results, own!.get(buffer))));
    progress(count + 1, left.length);
  });
  console.log(constantsTable(lines));
  return [];
}

/** What a rule comes to on the development traces, by its buffer. */
function playConstants(rule: string, quick: boolean): ReadonlyMap<string, readonly SessionResult[]> {
  const experiment = experimentOn('development', quick, { rules: [rule], shifts: CONSTANTS_SHIFTS });
  const play = playerOf(experiment);
  const results = tasksOf(experiment).flatMap(({ trace, shift }) => play(trace, shift));
  return groupBy(results, ({ buffer }) => String(buffer));
}

function experimentOn(
  set: string,
  quick: boolean,
  { rules, shifts }: Pick<Experiment, 'rules' | 'shifts'>,
): Experiment {
  const traces = readTraces(set, SCENARIO.seed).filter((_, index) => !quick || index % QUICK_STRIDE === 0);
  return { ...SCENARIO, traces, rules, shifts, buffers: BUFFERS };
}

function playerOf(experiment: Experiment): (trace: number, shift: number) => SessionResult[] {
  const content = contentOf(experiment);
  return (trace, shift) => runTask(experiment, content, { trace, shift });
}

function linesOf(results: readonly SessionResult[], trace?: string): Kept[] {
  const groups = groupBy(results, ({ abr, buffer }) => `${buffer}/${abr}`);
  return [...groups.values()].map((group) => keptOf(group, trace));
}
