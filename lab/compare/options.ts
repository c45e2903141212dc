import { basename, extname } from 'node:path';
import { integerOption, parseCommandLine } from '../../tools/setup/command-line.mjs';
import { UserError } from '../../tools/setup/process.mjs';
import { listOption, ruleList } from '../sim/options.js';
import { simulatedNames } from '../sim/rule.js';
import { SHARD_FORM, shardOption, type Shard } from '../sim/shard.js';
import { PUBLISHED } from './links.js';

export const USAGE = `Usage: voxel-lab compare --rule FILE [options]

Plays a video over links in simulation, with a bitrate rule of yours and with others, each from the same starts, and says what viewers
have of them: how long they wait, and what they see. Prints a table; writes sessions.jsonl (one line for each playback), summary.csv and
report.html (tables and pictures in one file) into --out. Minutes of one core at most.

  --rule FILE      your rule, a JavaScript module or script; several times for several rules. Its default export is
                   a class, or a function that makes an object, with choose(state) as voxel-dash has it, or
                   a rule for dash.js' addABRCustomRule, with getSwitchRequest(rulesContext); a script for pages may as well
                   give it to dashjs.FactoryMaker.getClassFactory
  --abr LIST       rules beside it (default abr-star,dynamic,bola-e: voxel-dash's own, dash.js' Dynamic, BOLA), of
                   ${simulatedNames.join(', ')};
                   NAME@whole: over whole segments
  --traces LIST    links: ${PUBLISHED.join(', ')} (default all of them, as in the published tables), or
                   files and folders of recorded ones (.csv second,mbps; .down or .up Mahimahi; .sum second bytes)
  --shifts N       start each link at N places, evenly spread (default 3)
  --buffers LIST   buffer lengths in segments (default 1,7); one more is in flight
  --segments N     segments of four seconds to play (default 75)
  --jobs N         worker threads (default: one for each core)
  --shard ${SHARD_FORM}      play the I-th of N shares alone, as one of N machines: their sessions.jsonl one after the other are the whole
  --resume         go on where an earlier run in --out was interrupted
  --replace        begin anew where there are sessions in --out already
  --report         play nothing: write table and report from the sessions.jsonl in --out
  --out DIR        default: compared
  --help           this text

Exit codes: 0 all went well, 1 a rule failed, 2 bad input.`;

/** What becomes of the sessions in the folder; `new`: there must be none. */
const MODES = ['resume', 'replace', 'report'] as const;

export type Mode = 'new' | (typeof MODES)[number];

export interface CompareOptions {
  /** Paths, by the names that the rules have in tables. */
  readonly files: Readonly<Record<string, string>>;
  /** The rules beside them. */
  readonly others: readonly string[];
  readonly traces: readonly string[];
  readonly shifts: number;
  readonly buffers: readonly number[];
  readonly segments: number;
  readonly jobs: number | undefined;
  readonly shard: Shard | undefined;
  readonly mode: Mode;
  readonly out: string;
}

/** Undefined: help was asked for. Throws a `UserError` that names the option. */
export function parseOptions(args: readonly string[]): CompareOptions | undefined {
  const { values } = parse(args);
  if (values.help) return undefined;
  if (values.rule === undefined) throw new UserError('--rule is required (see --help)');
  const shard = shardOption(values.shard);
  return {
    files: filesOf(values.rule),
    others: ruleList('abr', values.abr),
    traces: listOption('traces', values.traces),
    shifts: integerOption('shifts', values.shifts, { low: 1, high: 1000 }),
    buffers: listOption('buffers', values.buffers).map((text) => integerOption('buffers', text, { low: 1, high: 100 })),
    segments: integerOption('segments', values.segments, { low: 2, high: 10_000 }),
    jobs: integerOption('jobs', values.jobs, { low: 1, high: 256 }),
    shard,
    mode: modeOf(values),
    out: values.out,
  };
}

function parse(args: readonly string[]) {
  return parseCommandLine({
    args: [...args],
    options: {
      rule: { type: 'string', multiple: true },
      abr: { type: 'string', default: 'abr-star,dynamic,bola-e' },
      traces: { type: 'string', default: PUBLISHED.join(',') },
      shifts: { type: 'string', default: '3' },
      buffers: { type: 'string', default: '1,7' },
      segments: { type: 'string', default: '75' },
      jobs: { type: 'string' },
      shard: { type: 'string' },
      resume: { type: 'boolean', default: false },
      replace: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      out: { type: 'string', default: 'compared' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
}

function modeOf(values: Readonly<Record<(typeof MODES)[number], boolean>>): Mode {
  const asked = MODES.filter((mode) => values[mode]);
  if (asked.length > 1) throw new UserError(`--${asked.join(' and --')} cannot be used together`);
  return asked[0] ?? 'new';
}

/** Rules are called as their files are. */
function filesOf(paths: readonly string[]): Record<string, string> {
  const files: Record<string, string> = {};
  for (const path of paths) {
    const name = basename(path, extname(path));
    if (!/^[\w.-]+$/.test(name))
      throw new UserError(`--rule: a file's name may have letters, digits, '-', '_' and '.', got '${path}'`);
    if (simulatedNames.includes(name)) throw new UserError(`--rule: '${path}' has the name of another rule: rename it`);
    if (Object.hasOwn(files, name)) throw new UserError(`--rule: two files are called ${name}`);
    files[name] = path;
  }
  return files;
}
