import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../tools/setup/process.mjs';
import { derivedSeed } from '../../sim/random.js';
import { startOf } from '../../sim/link/trace.js';
import { mean, sum } from '../../sim/report/statistics.js';
import { linkFile } from '../../trials/link-file.js';
import { readLinkLog, type LinkSecond } from '../../trials/link-log.js';
import { congestionControlOptions, type ControlName } from '../../trials/serving.js';
import { overLink } from '../beside/link.mjs';
import type { Measurement } from '../server/probe.mjs';
import type { LinkSet } from './links.js';

/** Programs, and a folder for files. */
export interface Tools {
  readonly linkemu: string;
  readonly quiche: string;
  readonly probe: string;
  readonly folder: string;
}

/** A segment's bytes: two seconds of 1 Mbit/s. They are asked for one after the other, for so many seconds. */
const SEGMENT_BYTES = 250_000;
const SECONDS = 30;

/** What a server brought over a set of links, alone. */
export interface Transfer {
  readonly set: string;
  readonly control: ControlName;
  readonly sessions: number;
  /** Share of what the link could carry that came as payload. */
  readonly used: number;
  /** ms from a packet's arrival at the queue until it has left. */
  readonly queued: number;
  /** Share of the datagrams' bytes that did not come. */
  readonly lost: number;
}

/** Mbit/s beside TCP downloads over one queue. */
export interface Share {
  readonly queue: string;
  readonly others: string;
  readonly flows: number;
  readonly control: ControlName;
  readonly own: number;
  readonly each: number;
  /** Its rate over that of an equal share. */
  readonly ofShare: number;
}

/** Places in traces at a time: each takes a few percent of a core. */
const LANES = 3;

/** Segments over datagrams, from several places in every trace. Throws a `UserError` where the machine was too busy. */
export async function transferOver(
  tools: Tools,
  set: LinkSet,
  control: ControlName,
  starts: number,
): Promise<Transfer> {
  const waiting = set.traces.flatMap((trace) => Array.from({ length: starts }, (_, shift) => ({ trace, shift })));
  const results: Figures[] = [];
  const lane = async () => {
    for (let place = waiting.shift(); place; place = waiting.shift()) {
      const { trace, shift } = place;
      const startSeconds = startOf(trace, shift, starts);
      const seed = derivedSeed(1, `${trace.name}/${shift}`);
      const link = linkFile({ trace, startSeconds, path: set.path, seed });
      results.push(await transfer(tools, control, link));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const meanOf = (name: keyof Figures) => mean(results.map((result) => result[name]));
  const figures = { used: meanOf('used'), queued: meanOf('queued'), lost: meanOf('lost') };
  return { set: set.name, control, sessions: results.length, ...figures };
}

type Figures = Pick<Transfer, 'used' | 'queued' | 'lost'>;

function transfer(tools: Tools, control: ControlName, link: { seed: number; paths: object[] }): Promise<Figures> {
  return inFolder(tools, async (own) => {
    const { seen } = await overLink(tools.linkemu, own, askedOf(tools, control, 'cubic', 0), link);
    requireValid(own);
    const { bytes, lostShare } = seen as Measurement;
    const seconds = readLinkLog(own, 'link', 'down');
    const total = (measure: (second: LinkSecond) => number) => sum(seconds.map(measure));
    return {
      used: bytes / total(({ capacityBytes }) => capacityBytes),
      queued:
        total(({ deliveredPackets, sojournMs }) => deliveredPackets * sojournMs) /
        total(({ deliveredPackets }) => deliveredPackets),
      lost: lostShare,
    };
  });
}

const MBPS = 4;
const DELAY_MS = 30;

/** The queue of the trials, a long one as many routers have it (300 ms), and one with a turn for each flow. */
export const QUEUES = {
  'drop-tail, 32 packets': { discipline: 'drop-tail', limit: { packets: 32 } },
  'drop-tail, 100 packets': { discipline: 'drop-tail', limit: { packets: 100 } },
  'FQ-CoDel': { discipline: 'fq-codel', limit: { packets: 1000 } },
} as const;

export const OTHERS = ['cubic', 'bbr'] as const;
export const FLOWS = [1, 4] as const;

/** The same beside downloads. */
export async function shareBeside(
  tools: Tools,
  control: ControlName,
  queue: keyof typeof QUEUES,
  others: string,
  flows: number,
): Promise<Share> {
  const down = { trace: { mbps: MBPS }, queue: QUEUES[queue], delayMs: DELAY_MS };
  const up = { trace: { mbps: 100 }, queue: QUEUES['drop-tail, 100 packets'], delayMs: DELAY_MS };
  const link = { seed: 1, paths: [{ name: 'link', down, up }] };
  return inFolder(tools, async (folder) => {
    const { own, downloads } = await overLink(tools.linkemu, folder, askedOf(tools, control, others, flows), link);
    requireValid(folder);
    return { queue, others, flows, control, own, each: mean(downloads), ofShare: own / (MBPS / (flows + 1)) };
  });
}

function askedOf({ quiche, probe, folder }: Tools, control: ControlName, tcpControl: string, flows: number) {
  return {
    server: [quiche, folder, ...congestionControlOptions('quiche', control), '--workers', '1'],
    probe,
    asking: ['--target', '/segment.bin', '--unreliable', '--requests', '100000', '--seconds', String(SECONDS)],
    ...{ tcpControl, flows },
  };
}

function requireValid(folder: string): void {
  const { valid } = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as { valid: boolean };
  if (!valid) throw new UserError('the machine was too busy: packets left more than 10 ms late', 1);
}

async function inFolder<Result>({ folder }: Tools, measure: (own: string) => Promise<Result>): Promise<Result> {
  const own = mkdtempSync(join(folder, '.cell-'));
  try {
    return await measure(own);
  } finally {
    rmSync(own, { recursive: true });
  }
}

export function writeSegment(folder: string): void {
  writeFileSync(join(folder, 'segment.bin'), Buffer.alloc(SEGMENT_BYTES, 7));
}
