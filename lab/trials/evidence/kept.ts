import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { UserError } from '../../../tools/setup/process.mjs';
import { readConfig, type TrialsConfig } from '../config.js';
import { anyContent } from '../plan.js';
import { rowsOf, summarise, type SummaryRow } from '../report/summary.js';
import type { SimulatedSession, TrialResult } from '../result.js';
import { readResults, readSimulated } from '../results-file.js';
import type { TraceSpec } from '../trace-spec.js';

const CONFIGS = 'lab/trials/configs';
/** Where sessions are kept, relative to the repository. */
export const RESULTS = 'docs/results';

/** Sessions of one configuration that are kept in the repository. */
export interface Matrix {
  /** Name of its folder and of its configuration. */
  readonly name: string;
  readonly config: TrialsConfig;
  /** Relative to the repository. */
  readonly folder: string;
  /** One for each trial that counts. */
  readonly sessions: readonly TrialResult[];
  /** Attempts that do not count. */
  readonly invalid: number;
  /** Undefined: a folder of traces has as many as there are. */
  readonly planned: number | undefined;
  readonly rows: readonly SummaryRow[];
  /** Sessions that `npm run trials -- … --calibrate` has simulated. */
  readonly simulated: readonly SimulatedSession[];
}

/** Trials at a time, which two cores bear with small pictures. */
export const JOBS = 3;

/** Where a matrix is written down, relative to the repository. */
export const configPath = (name: string) => `${CONFIGS}/${name}.json`;

/** Shows the sessions again, or goes on with the matrix. */
export function commandOf(name: string): string {
  return `npm run trials -- ${configPath(name)} --jobs ${JOBS} --resume --sessions ${RESULTS}/${name}/sessions.jsonl`;
}

/** All matrices, by name. Throws a `UserError`. */
export function keptMatrices(): Map<string, Matrix> {
  const names = readdirSync(join(root, RESULTS), { withFileTypes: true })
    .map((entry) => entry.name)
    .filter((name) => existsSync(join(root, RESULTS, name, 'sessions.jsonl')))
    .sort();
  return new Map(names.map((name) => [name, readMatrix(name)]));
}

function readMatrix(name: string): Matrix {
  const folder = `${RESULTS}/${name}`;
  const path = join(root, configPath(name));
  if (!existsSync(path)) throw new UserError(`${folder}: there is no configuration of that name (${configPath(name)})`);
  return matrixOf({
    name,
    folder,
    config: readConfig(path),
    attempts: readResults(join(root, folder, 'sessions.jsonl')),
    simulated: readSimulated(join(root, folder, 'sessions.jsonl')),
  });
}

export interface KeptAttempts extends Pick<Matrix, 'name' | 'folder' | 'config'> {
  readonly attempts: readonly TrialResult[];
  readonly simulated?: Matrix['simulated'];
}

export function matrixOf({ attempts, simulated = [], ...matrix }: KeptAttempts): Matrix {
  const { config } = matrix;
  // A trial has another identifier where its video was prepared anew: its latest session counts.
  const latest = new Map(
    attempts
      .filter(({ valid }) => valid)
      .toSorted((a, b) => a.date.localeCompare(b.date))
      .map((result) => [anyContent(result.id), result]),
  );
  const sessions = inOrder(config, [...latest.values()]);
  return {
    ...matrix,
    sessions,
    simulated,
    invalid: attempts.filter(({ valid }) => !valid).length,
    planned: planned(config),
    rows: summarise(sessions, config.baseline),
  };
}

/** Over all conditions that `holds` keeps. */
export function together({ config, sessions }: Matrix, holds: (result: TrialResult) => boolean): SummaryRow[] {
  return rowsOf(sessions.filter(holds), config.baseline, 'all');
}

/** Sessions as planned, not as they were finished: a document changes only by what is added. */
function inOrder(config: TrialsConfig, sessions: readonly TrialResult[]): TrialResult[] {
  const places = (result: TrialResult) => [
    config.paths.findIndex(({ name }) => name === result.path),
    config.servers.indexOf(result.server),
    config.controls.indexOf(result.control),
    config.buffers.indexOf(result.buffer),
    config.systems.findIndex(({ name }) => name === result.system),
    result.shift,
    result.repetition,
  ];
  return sessions.toSorted((a, b) => {
    const [ours, theirs] = [places(a), places(b)];
    const differing = ours.findIndex((place, index) => place !== theirs[index]);
    const byText = a.video.localeCompare(b.video, 'en') || a.trace.localeCompare(b.trace, 'en');
    return byText || (differing < 0 ? 0 : ours[differing]! - theirs[differing]!);
  });
}

function planned(config: TrialsConfig): number | undefined {
  if (!config.traces.every(isSingle)) return undefined;
  const { videos, links, traces, paths, servers, controls, crossTraffic, buffers, systems, shifts, repetitions } =
    config;
  const places = links
    ? links.reduce((sum, link) => sum + link.traces.length * link.shifts, 0)
    : traces.length * paths.length * shifts;
  const lists = [videos, servers, controls, crossTraffic, buffers, systems];
  return lists.reduce((product, list) => product * list.length, places * repetitions);
}

function isSingle({ source }: TraceSpec): boolean {
  return /\.(csv|sum|down|up)$|:/.test(source);
}
