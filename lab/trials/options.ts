import { basename, join } from 'node:path';
import { integerOption, parseCommandLine } from '../../tools/setup/command-line.mjs';
import { SHARD_FORM, shardOption, type Shard } from '../sim/shard.js';
import { UserError } from '../../tools/setup/process.mjs';
import { SYSTEM_USAGE } from './system.js';

export const USAGE = `Usage: npm run trials -- CONFIG.json [options]
       npm run trials -- --quick [options]
       npm run trials -- [CONFIG.json] --smoke [options]

Plays video in headless Chromium over emulated links and compares bitrate rules and transports (docs/TRIALS.md).
CONFIG.json is a matrix of trials; lab/trials/configs has ready ones. --quick is one of a few minutes: VOXEL beside
dash.js' Dynamic and BOLA over HTTP/3 on one hard link; it fails unless VOXEL's viewer waits less than both of theirs (start-up and stalls) and sees no less. --smoke plays ten seconds of the
sample with every system, server and control of the configuration, over a link that needs no data; it fails where one does not play as its
system says. Without a configuration: with every rule, way that segments travel, server and control of those in lab/trials/configs.

  --out DIR     results: trials.jsonl, summary.csv and .md, segments of each trial, report.html
                (default: output/trials/ and the configuration's name, quick or smoke)
  --resume      go on where an earlier run in DIR was interrupted; finished trials are not repeated
  --sessions F  the lines of trials.jsonl are in file F instead, which is kept longer than DIR: --resume goes on from it
  --attempts N  how often a trial is played that does not count (default 3): more than before, with --resume, plays those again
  --only S,S    with --smoke: these systems alone
  --keep        keep what npm run study needs: the bytes of segments that came with gaps, and where the video lies
  --shard ${SHARD_FORM}   play the I-th of N shares of the trials alone, as one of N machines: their trials.jsonl one after the other are the whole
  --jobs N      trials at a time (default 1; one needs about two cores)
  --report      only write the summaries and report.html again, from what DIR holds
  --calibrate   only play the sessions again in the simulator: prints a table, keeps simulated.jsonl beside theirs
  --plan        only prepare the videos, and say which trials there are and how long they take
  --help        this text

Systems: ${SYSTEM_USAGE}; =SAFETY behind one of ours sets its bandwidth safety.
Exit codes: 0 all went well, 1 a trial failed or VOXEL was not ahead of both in --quick, 2 bad input or the machine
lacks something, 130 interrupted.`;

/** Output folder of --smoke unless --out names one; emptied each time. */
export const SMOKE_FOLDER = 'output/trials/smoke';

/** What is to be done; `run` ends with a report. */
export type Mode = 'run' | 'report' | 'calibrate' | 'plan' | 'smoke';

export interface TrialsOptions {
  /** Undefined: the one of --quick, or all of --smoke. */
  readonly config: string | undefined;
  readonly mode: Mode;
  readonly isQuick: boolean;
  readonly out: string;
  /** The file of results. */
  readonly sessions: string;
  readonly existing: 'continue' | 'refuse';
  readonly jobs: number;
  /** At each trial. */
  readonly attempts: number;
  /** Keep the bytes of segments with gaps. */
  readonly keep: boolean;
  readonly shard: Shard | undefined;
  /** The systems of --smoke; undefined: all. */
  readonly only: readonly string[] | undefined;
}

const MOST_JOBS = 64;
const MOST_ATTEMPTS = 99;

/** Undefined: help was asked for. Throws a `UserError`. */
export function parseOptions(args: readonly string[]): TrialsOptions | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const mode = modeOf(values);
  const [config] = positionals;
  if (values.quick && config !== undefined) throw new UserError('--quick cannot be used with a configuration');
  if (values.quick && mode === 'smoke') throw new UserError('--quick and --smoke cannot be used together');
  const needed = values.quick || mode === 'smoke' ? 0 : 1;
  if (positionals.length < needed || positionals.length > 1) {
    throw new UserError(`expected one configuration or --quick, got ${positionals.length} configurations (see --help)`);
  }
  const jobs = integerOption('jobs', values.jobs, { low: 1, high: MOST_JOBS });
  const attempts = integerOption('attempts', values.attempts, { low: 1, high: MOST_ATTEMPTS });
  if (values.only !== undefined && mode !== 'smoke') throw new UserError('--only needs --smoke');
  const usual = mode === 'smoke' ? SMOKE_FOLDER : `output/trials/${basename(config ?? 'quick', '.json')}`;
  const out = values.out ?? usual;
  return {
    config,
    mode,
    isQuick: values.quick,
    out,
    sessions: values.sessions ?? join(out, 'trials.jsonl'),
    existing: values.resume || mode !== 'run' ? 'continue' : 'refuse',
    jobs,
    attempts,
    keep: values.keep,
    shard: shardOption(values.shard),
    only: values.only?.split(','),
  };
}

function modeOf(values: Record<Exclude<Mode, 'run'>, boolean>): Mode {
  const asked = (['report', 'calibrate', 'plan', 'smoke'] as const).filter((name) => values[name]);
  if (asked.length > 1) throw new UserError(`--${asked.join(' and --')} cannot be used together`);
  return asked[0] ?? 'run';
}

function parse(args: readonly string[]) {
  return parseCommandLine({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      out: { type: 'string' },
      sessions: { type: 'string' },
      resume: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '1' },
      attempts: { type: 'string', default: '3' },
      keep: { type: 'boolean', default: false },
      shard: { type: 'string' },
      only: { type: 'string' },
      report: { type: 'boolean', default: false },
      calibrate: { type: 'boolean', default: false },
      plan: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
}
