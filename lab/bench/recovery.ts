import { join } from 'node:path';
import { root } from '../../tools/setup/paths.mjs';
import { run, say, UserError } from '../../tools/setup/process.mjs';
import { medianInterval, type Bounded } from '../sim/report/statistics.js';
import { readConfig } from '../trials/config.js';
import type { TrialResult } from '../trials/result.js';
import { atMost, barLine, type Bar } from '../sim/report/bar.js';
import { readResults } from '../trials/results-file.js';
import { obstacleToLinks } from './support/links.js';

export const usage = `npm run bench -- recovery [--json] [--quick] [--out DIR] [--resume] [--sessions FILE] [--jobs N]: what becomes of lost datagrams in a browser over
emulated links, of both servers: random losses and bursts of four packets, 60 and 300 ms. Medians over sessions with 95 % intervals.
120 sessions of a minute, two at a time unless --jobs says otherwise; DIR (default: output/recovery) keeps them, and --resume goes on
with what is there; --sessions as of trials. --quick: four sessions. --json: one object on standard output. Needs what trials need, and is skipped without. Exit
code 1 where a goal is missed.`;

const flag = { type: 'boolean', default: false } as const;

export const options = {
  json: flag,
  quick: flag,
  resume: flag,
  out: { type: 'string' },
  sessions: { type: 'string' },
  jobs: { type: 'string', default: '2' },
} as const;

interface Values {
  readonly json: boolean;
  readonly quick: boolean;
  readonly resume: boolean;
  readonly out?: string;
  readonly sessions?: string;
  readonly jobs: string;
}

/** Those of `TrialResult`: shares of 1, a ratio, and what losses took of the score of whole segments. */
const MEASURES = ['gapsAtAppend', 'appendedTwice', 'repeatedOverLost', 'scoreLost'] as const;

type Measure = (typeof MEASURES)[number];

/** The most that a measure's median may be, by path. */
const GOALS: Readonly<Record<string, Partial<Readonly<Record<Measure, number>>>>> = {
  '60 ms, 1.3 % loss': { gapsAtAppend: 0.001, appendedTwice: 0.01, repeatedOverLost: 1.2, scoreLost: 0.001 },
  '300 ms, 5 % loss': { scoreLost: 0.01 },
};

/** One server on one path. A measure is undefined where nothing was lost, or nothing measured. */
interface Cell extends Partial<Readonly<Record<Measure, Bounded>>> {
  readonly server: string;
  readonly path: string;
  readonly sessions: number;
}

/** Measures and prints. */
export async function main({ json, quick, resume, out, sessions, jobs }: Values): Promise<Bar[]> {
  const obstacle = await obstacleToLinks();
  if (obstacle !== undefined) {
    say(`recovery: skipped, ${obstacle}`);
    return [];
  }
  const name = quick ? 'recovery-quick' : 'recovery';
  const config = join(root, `lab/trials/configs/${name}.json`);
  const folder = out ?? join(root, 'output', name);
  const kept = sessions === undefined ? [] : ['--sessions', sessions];
  const args = [config, '--out', folder, '--jobs', jobs, ...kept, ...(resume ? ['--resume'] : [])];
  // Also with sessions that do not count, or interrupted, what is there is shown.
  const failure: unknown = await run('node', ['lab/trials/trials.mjs', ...args], { cwd: root, kind: 'tool' }).catch(
    (error: unknown) => error,
  );
  if (failure instanceof UserError && failure.exitCode === 2) throw failure;
  const results = readResults(sessions ?? join(folder, 'trials.jsonl')).filter(({ valid }) => valid);
  const { servers, paths } = readConfig(config);
  const cells = servers.flatMap((server) => paths.map((path) => cellOf(server, path.name, results)));
  const bars = cells.flatMap(barsOf);
  if (json) console.log(JSON.stringify({ cells, bars }));
  else console.log([...cells.map(describe), ...bars.map(barLine)].join('\n'));
  return bars;
}

function cellOf(server: string, path: string, results: readonly TrialResult[]): Cell {
  const own = results.filter((result) => result.server === server && result.path === path);
  const measured = MEASURES.flatMap((name) => {
    const values = own.map((result) => result[name]).filter((value) => value !== null);
    return values.length > 0 ? [[name, medianInterval(values)] as const] : [];
  });
  return { server, path, sessions: own.length, ...Object.fromEntries(measured) };
}

/** A cell without a session meets none of its goals. */
function barsOf(cell: Cell): Bar[] {
  const goals = Object.entries(GOALS[cell.path] ?? {}) as [Measure, number][];
  return goals.map(([name, most]) =>
    atMost(`${cell.server}, ${cell.path}: ${name}`, cell.sessions === 0 ? Infinity : (cell[name]?.value ?? 0), most),
  );
}

function describe(cell: Cell): string {
  const figures = MEASURES.map((name) => {
    const median = cell[name];
    if (!median) return `${name} –`;
    const { value, bounds } = median;
    const within = bounds ? ` [${bounds.low.toPrecision(3)}, ${bounds.high.toPrecision(3)}]` : '';
    return `${name} ${value.toPrecision(3)}${within}`;
  });
  return `${cell.server}, ${cell.path} (${cell.sessions}): ${figures.join(', ')}`;
}
