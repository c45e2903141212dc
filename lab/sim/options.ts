import { strategyNames } from '../strategies/strategies.js';
import { abrNames } from '../rivals/registry.js';
import { integerOption, numberOption, parseCommandLine } from '../../tools/setup/command-line.mjs';
import { UserError } from '../../tools/setup/process.mjs';
import { PAPER_PATH, type TransportModel } from './experiment.js';
import { CONDITION_GENERATORS } from './link/condition-generators.js';
import { GENERATORS } from './link/trace-generators.js';
import { TRACE_SETS } from './link/trace-sets.js';
import { controlNames, SERVERS, type ControlName, type ServerName } from './link/controls.js';
import type { LossModel } from './link/path-losses.js';
import { BROWSER_PLAYER, IDEAL_PLAYER, type PlayerModel } from './player-model.js';
import { isReference, REFERENCE_NAMES } from './reference-rules.js';
import { ruleOf } from './rule.js';
import { SHARD_FORM, shardOption, type Shard } from './shard.js';

const GENERATOR_NAMES = Object.keys(GENERATORS).join(', ');

export const USAGE = `Usage: npm run simulate -- --traces DIR --out DIR [options]
       npm run simulate -- page [options]     web pages over two interfaces (see page --help)
       npm run simulate -- bundle [options]   a video over two links at once (see bundle --help)
       npm run simulate -- flows [options]    a video over several connections beside bulk flows (see flows --help)

Plays a video over recorded links in simulation: the player's own bitrate rules, a modelled transport.
Writes sessions.jsonl (one line for each playback), summary.csv and report.html into --out.

  --traces SOURCE    a folder of traces or one file (.csv second,mbps, or a log with Timestamp,DL_bitrate in kbit/s,
                     or Puffer's video_sent with delivery_rate; .sum second bytes; .down or .up Mahimahi),
                     ${GENERATOR_NAMES} (generated), constant:MBPS,
                     step:MBPS,MBPS@SECONDS, ${TRACE_SETS.join(' or ')} (lab/sim/link/trace-sets.ts)
  --conditions SRC   delays and losses that come with these rates: a file or folder (.csv second,delay_ms,loss_percent, with or
                     without mean_burst; delay each way, besides half of --latency), or ${Object.keys(CONDITION_GENERATORS).join(', ')} (generated);
                     the record goes on from trace to trace. A .csv trace may have them itself, after second,mbps
  --mean MBPS        add one constant to each trace so that this is its mean (as the paper does)
  --abr LIST         rules (default: all of ${abrNames.join(', ')}),
                     NAME@streams or NAME@datagrams: with its downloads sent that way; NAME@whole: over whole segments;
                     abr-star:CONSTANT=VALUE…: with other constants than its own (src/abr-star/star/constants.ts);
                     NAME…/pieces or NAME…/whole: what is waited for is played in pieces (default for abr-star) or not,
                     NAME…+STRATEGY: ${strategyNames.join(', ')} (default ${strategyNames[0]}; docs/DELIVERY.md);
                     ${REFERENCE_NAMES.join(', ')}: what rules are measured against
  --buffers LIST     buffer lengths in segments, 1 to 100 (default 1,2,3,7); one more is in flight
  --content SOURCE   synthetic (default), synthetic:SECONDS of a segment (default 4), cbr, or the folder of a prepared video
  --segments N       segments to play, 2 to 10000 (default 75); shorter content is repeated
  --transport NAME   quic (default) or flat: after the latency bytes come at the link's rate
  --latency MS       round trip without queue (default: 30 for quic, 100 for flat)
  --queue PACKETS    with quic: what the bottleneck's queue holds (default 32, as in the paper's trials)
  --loss PERCENT     with quic: packets lost at random on top of what the queue drops (default 0)
  --mean-burst N     with --loss: packets lost in a row on average (default: losses are independent)
  --player NAME      ideal (default), or browser: with the time and the server's manners that trials were measured to have
  --control NAME     with quic: cubic (default) or ${controlNames.slice(1).join(', ')}
  --server NAME      with quic: ${SERVERS.join(' or ')}, whose manners were measured (default: a plain server; with --player browser ${SERVERS[0]})
  --shifts N         start each trace at N places, evenly spread (default 1)
  --seed S           seed of generated traces, synthetic content and losses (default 1)
  --jobs N           worker threads (default: one for each core)
  --shard ${SHARD_FORM}        play the I-th of N shares alone, as one of N machines: their sessions.jsonl one after the other are the whole
  --report           play nothing: write summary and report again, with the same options, from the sessions.jsonl in --out
  --out DIR          made if absent; files of an earlier run are replaced

  --help             this text

Exit codes: 0 all went well, 1 a session failed, 2 bad input.`;

export interface SimulateOptions {
  readonly traces: string;
  readonly conditions: string | undefined;
  /** Bit/s. */
  readonly mean: number | undefined;
  readonly rules: readonly string[];
  readonly buffers: readonly number[];
  readonly content: string;
  readonly segments: number;
  readonly transport: TransportModel;
  readonly player: PlayerModel;
  readonly shifts: number;
  readonly seed: number;
  readonly jobs: number | undefined;
  readonly shard: Shard | undefined;
  /** Only from what is there. */
  readonly isReport: boolean;
  readonly out: string;
}

/** Undefined: help was asked for. Throws a `UserError` that names the option. */
export function parseOptions(args: readonly string[]): SimulateOptions | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  if (values.traces === undefined) throw new UserError('--traces is required (see --help)');
  if (values.out === undefined) throw new UserError('--out is required (see --help)');
  const mean =
    values.mean === undefined ? undefined : numberOption('mean', values.mean, { low: 0.001, high: 1e6 }) * 1e6;
  return {
    traces: values.traces,
    conditions: conditionsOf(values),
    mean,
    rules: ruleList('abr', values.abr ?? abrNames.join(',')),
    buffers: listOption('buffers', values.buffers).map((text) => integerOption('buffers', text, { low: 1, high: 100 })),
    content: values.content,
    segments: integerOption('segments', values.segments, { low: 2, high: 10_000 }),
    transport: transportOf(values),
    player: isBrowser(values) ? BROWSER_PLAYER : IDEAL_PLAYER,
    shifts: integerOption('shifts', values.shifts, { low: 1, high: 1000 }),
    seed: integerOption('seed', values.seed, { low: 0, high: 2 ** 32 - 1 }),
    jobs: integerOption('jobs', values.jobs, { low: 1, high: 256 }),
    shard: shardOption(values.shard),
    isReport: values.report,
    out: values.out,
  };
}

function parse(args: readonly string[]) {
  return parseCommandLine({
    args: [...args],
    options: {
      traces: { type: 'string' },
      conditions: { type: 'string' },
      mean: { type: 'string' },
      abr: { type: 'string' },
      buffers: { type: 'string', default: '1,2,3,7' },
      content: { type: 'string', default: 'synthetic' },
      segments: { type: 'string', default: '75' },
      transport: { type: 'string', default: 'quic' },
      latency: { type: 'string' },
      queue: { type: 'string' },
      loss: { type: 'string' },
      'mean-burst': { type: 'string' },
      control: { type: 'string' },
      server: { type: 'string' },
      player: { type: 'string', default: 'ideal' },
      shifts: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      jobs: { type: 'string' },
      shard: { type: 'string' },
      report: { type: 'boolean', default: false },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;
}

function conditionsOf({ conditions, transport, loss }: ReturnType<typeof parse>): string | undefined {
  if (conditions === undefined) return undefined;
  if (transport !== 'quic') throw new UserError('--conditions can only be used with --transport quic');
  if (loss !== undefined) throw new UserError('--conditions and --loss exclude each other');
  return conditions;
}

/** What an option lists. Throws a `UserError` that names it. */
export function listOption(name: string, text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  if (items.includes('')) throw new UserError(`--${name} must be a list with commas, got '${text}'`);
  if (new Set(items).size < items.length) throw new UserError(`--${name} must not name anything twice, got '${text}'`);
  return items;
}

/** The same, of names of rules and references. */
export function ruleList(name: string, text: string): string[] {
  const names = listOption(name, text);
  for (const rule of names) if (!isReference(rule)) ruleOf(rule);
  return names;
}

interface TransportValues {
  readonly transport: string;
  readonly latency?: string | undefined;
  readonly queue?: string | undefined;
  readonly loss?: string | undefined;
  readonly 'mean-burst'?: string | undefined;
  readonly control?: string | undefined;
  readonly server?: string | undefined;
  readonly player: string;
}

function isBrowser({ player }: Pick<TransportValues, 'player'>): boolean {
  if (player === 'ideal' || player === 'browser') return player === 'browser';
  throw new UserError(`--player must be one of ideal, browser, got '${player}'`);
}

function transportOf({ transport, latency, queue, ...quic }: TransportValues): TransportModel {
  if (transport === 'flat') {
    if ([queue, quic.loss, quic['mean-burst'], quic.control, quic.server].some((value) => value !== undefined))
      throw new UserError(
        '--queue, --loss, --mean-burst, --control and --server can only be used with --transport quic',
      );
    return { kind: 'flat', latency: numberOption('latency', latency ?? '100', { low: 0, high: 10_000 }) / 1000 };
  }
  if (transport !== 'quic') throw new UserError(`--transport must be one of quic, flat, got '${transport}'`);
  return {
    kind: 'quic',
    roundTrip: numberOption('latency', latency ?? String(1000 * PAPER_PATH.roundTrip), { low: 1, high: 10_000 }) / 1000,
    queuePackets: integerOption('queue', queue ?? String(PAPER_PATH.queuePackets), { low: 1, high: 1e6 }),
    ...lossModel(quic),
    control: controlOf(quic.control ?? PAPER_PATH.control),
    ...serverOf(quic),
  };
}

function lossModel({ loss = '0', 'mean-burst': burst }: Pick<TransportValues, 'loss' | 'mean-burst'>): LossModel {
  const percent = numberOption('loss', loss, { low: 0, high: 90 });
  if (burst === undefined) return { loss: percent / 100 };
  const meanBurst = numberOption('mean-burst', burst, { low: 1, high: 10_000 });
  const most = (100 * meanBurst) / (meanBurst + 1);
  if (percent > most) {
    throw new UserError(
      `--loss must be at most ${most.toFixed(2)} in bursts of ${burst} packets on average, got '${loss}'`,
    );
  }
  return { loss: percent / 100, meanBurst };
}

function serverOf({ server, player }: Pick<TransportValues, 'server' | 'player'>): { readonly server?: ServerName } {
  if (server === undefined) return isBrowser({ player }) ? { server: SERVERS[0] } : {};
  const known = SERVERS.find((candidate) => candidate === server);
  if (known) return { server: known };
  throw new UserError(`--server must be one of ${SERVERS.join(', ')}, got '${server}'`);
}

function controlOf(name: string): ControlName {
  const control = controlNames.find((candidate) => candidate === name);
  if (control) return control;
  throw new UserError(`--control must be one of ${controlNames.join(', ')}, got '${name}'`);
}
