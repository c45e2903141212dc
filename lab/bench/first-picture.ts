import { join } from 'node:path';
import { integerOption } from '../../tools/setup/command-line.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { say, UserError } from '../../tools/setup/process.mjs';
import { barLine, type Bar } from '../sim/report/bar.js';
import { readConfig, type TrialsConfig } from '../trials/config.js';
import { openLaboratory } from '../trials/laboratory.js';
import { untilInterrupted } from '../trials/main.js';
import type { Media } from '../trials/media.js';
import { planTrials, type Trial } from '../trials/plan.js';
import { prepareMedia } from '../trials/prepare-media.js';
import type { Versions } from '../trials/result.js';
import { ResultsFile } from '../trials/results-file.js';
import { runAll } from '../trials/run-all.js';
import { tracesOf } from '../trials/traces.js';
import { barsOf, cellsOf, linesOf, MEASURES, type Measure } from './first-picture/cells.js';
import { alternating, chosen, sessionsOf, startsOnly } from './first-picture/plan.js';
import { obstacleToLinks } from './support/links.js';

export const usage = `npm run bench -- first-picture [options]: seconds until the first right picture is on the screen, with the plugin and with dash.js
alone, one after the other over the same emulated link, by requestVideoFrameCallback: from the start, from jumps to places of which nothing is buffered
(20 in a session), and from the return of a link after a stall. Medians over pairs with 95 % intervals; SSIM of the first ten seconds.

  --pairs N         sessions of each player on each link with each codec (20); of those that jump a fifth, rounded up
  --links A,B       some of unlimited, '60 ms' (10 Mbit/s), '300 ms' (50 Mbit/s, 1 % lost), 3G and LTE (records, or generated ones)
  --codecs A,B      some of h264, av1
  --measures A,B    some of start, seek, resume; start and resume are of the same sessions, which are half as long where start stands alone
  --out DIR         where sessions are kept (output/first-picture); --resume goes on with what is there; --sessions FILE: as of trials
  --report          plays nothing: only says what DIR holds
  --json            one object on standard output

dash.js alone has everything that the plugin has: HTTP/3 from the same server, the same files, buffer and congestion control, connection and caches as
new; its own rule Dynamic, its measured throughput not spoilt (docs/TRIALS-REFERENCE.md), and otherwise the settings that it comes with, of which none
delays a first picture: it plays what it has (initialBufferLevel), asks at once at a start and after a jump (scheduling.defaultTimeout is for a full
buffer), and begins at the level that the manifest's download allows, or 1 Mbit/s (initialBitrate). Needs what trials need, and is skipped without. All 20
pairs take about eight hours: play them on a machine that does nothing else. Exit code 1 where a goal is missed.`;

const flag = { type: 'boolean', default: false } as const;
const text = { type: 'string' } as const;

export const options = {
  ...{ json: flag, resume: flag, report: flag },
  ...{ pairs: { type: 'string', default: '20' }, links: text, codecs: text, measures: text, out: text, sessions: text },
} as const;

interface Values extends Partial<Readonly<Record<'links' | 'codecs' | 'measures' | 'out' | 'sessions', string>>> {
  readonly json: boolean;
  readonly resume: boolean;
  readonly report: boolean;
  readonly pairs: string;
}

/** Sessions that watch, and those that jump. */
const CONFIGS = { watching: 'first-picture', jumping: 'first-picture-seeks' } as const;

type Plan = Record<keyof typeof CONFIGS, readonly Trial[]>;

/** A session that does not count is played again so often. */
const ATTEMPTS = 3;

const MOST_PAIRS = 1000;

/** Measures and prints. */
export async function main(values: Values): Promise<Bar[]> {
  const pairs = integerOption('pairs', values.pairs, { low: 1, high: MOST_PAIRS });
  const measures = chosen('measures', values.measures, MEASURES);
  const kinds = [
    ...(measures.includes('seek') ? [{ kind: 'jumping' as const, sessions: sessionsOf('seek', pairs) }] : []),
    ...(measures.some((name) => name !== 'seek') ? [{ kind: 'watching' as const, sessions: pairs }] : []),
  ];
  const plan: Plan = { watching: [], jumping: [] };
  const isShort = !measures.includes('resume');
  for (const { kind, sessions } of kinds) {
    const config = read(CONFIGS[kind]);
    const used = kind === 'watching' && isShort ? startsOnly(config) : config;
    plan[kind] = await trialsOf(used, sessions, values);
  }
  const out = values.out ?? join(root, 'output/first-picture');
  const existing = values.resume || values.report ? 'continue' : 'refuse';
  const file = new ResultsFile(values.sessions ?? join(out, 'trials.jsonl'), existing);
  const obstacle = values.report ? undefined : await obstacleToLinks();
  if (obstacle !== undefined) {
    say(`first-picture: skipped, ${obstacle}`);
    return [];
  }
  const exitCode = values.report
    ? 0
    : await untilInterrupted((signal) => play([...plan.jumping, ...plan.watching], file, out, signal));
  const bars = report(plan, file, measures, values.json);
  if (exitCode !== 0) throw new UserError('interrupted', exitCode);
  return bars;
}

const read = (name: string): TrialsConfig => readConfig(join(root, `lab/trials/configs/${name}.json`));

async function trialsOf(config: TrialsConfig, sessions: number, values: Values): Promise<Trial[]> {
  const codecs = chosen(
    'codecs',
    values.codecs,
    config.videos.map(({ name }) => name!),
  );
  const paths = chosen(
    'links',
    values.links,
    config.paths.map(({ name }) => name),
  );
  const media: Media[] = [];
  for (const video of config.videos) if (codecs.includes(video.name!)) media.push(await prepareMedia(video));
  const repetitions = Math.ceil(sessions / config.shifts);
  const trials = planTrials({ ...config, repetitions }, media, tracesOf(config));
  return alternating(
    trials.filter(({ path, shift, repetition }) => {
      return paths.includes(path.name) && repetition * config.shifts + shift < sessions;
    }),
  );
}

async function play(trials: readonly Trial[], file: ResultsFile, out: string, signal: AbortSignal): Promise<number> {
  const servers = [...new Set(trials.map(({ server }) => server))];
  const laboratory = await openLaboratory(signal, servers);
  try {
    // One at a time: what is measured are moments.
    await runAll(trials, file, laboratory, { out, jobs: 1, attempts: ATTEMPTS });
    return 0;
  } finally {
    laboratory.close();
  }
}

function report(plan: Plan, file: ResultsFile, measures: readonly Measure[], json: boolean): Bar[] {
  const rival = read(CONFIGS.watching).baseline;
  const attempts = (trials: readonly Trial[]) => {
    const ids = new Set(trials.map(({ id }) => id));
    return file.results.filter(({ id }) => ids.has(id));
  };
  const counting = (trials: readonly Trial[]) => attempts(trials).filter(({ valid }) => valid);
  const sessions = { watching: counting(plan.watching), jumping: counting(plan.jumping) };
  const cells = cellsOf(sessions, rival, measures);
  const bars = cells.flatMap(barsOf);
  const all = [...sessions.watching, ...sessions.jumping];
  const invalid = [...attempts(plan.watching), ...attempts(plan.jumping)].length - all.length;
  const made = [...new Set(all.map(({ versions }) => JSON.stringify(versions)))];
  const versions = made.map((text) => JSON.parse(text) as Versions);
  if (json) console.log(JSON.stringify({ cells, bars, rival, attemptsThatDoNotCount: invalid, versions }));
  else console.log([...cells.flatMap(linesOf), ...bars.map(barLine)].join('\n'));
  return bars;
}
