import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { say, UserError } from '../../tools/setup/process.mjs';
import { ensureLinkEmulator, ensureQuicheProbe, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { markdownTable } from '../sim/report/markdown-table.js';
import type { Difference } from '../sim/report/statistics.js';
import { interval } from '../trials/report/columns.js';
import { linkSets, type LinkSet } from './congestion/links.js';
import { sessionsOver, type Sessions } from './congestion/sessions.js';
import {
  FLOWS,
  OTHERS,
  QUEUES,
  shareBeside,
  transferOver,
  writeSegment,
  type Share,
  type Tools,
  type Transfer,
} from './congestion/transfers.js';

export const usage = `npm run bench -- congestion [--only PART] [--json] [--quick]: CUBIC and BBRv2 of voxel-quiche. PART is one of
  sessions    abr-star over the links of results-small and datagrams-streams and under recorded delays and losses, simulated: BBR less CUBIC,
              means of paired differences with 95 % intervals (about five minutes, and three more to prepare a video the first time)
  transfers   the server itself over the same links, emulated: segments as datagrams, one after the other, for 30 s (about 40 minutes)
  shares      the same beside one and four TCP downloads of CUBIC and BBR on 4 Mbit/s, 60 ms, over three queues (14 minutes)
Without ../shared: generated links and the sample. --quick: one start in each link, one kind of download.`;

const flag = { type: 'boolean', default: false } as const;

export const options = { json: flag, quick: flag, only: { type: 'string' } } as const;

const PARTS = ['sessions', 'transfers', 'shares'] as const;

const CONTROLS = ['cubic', 'bbr2'] as const;

/** Starts in each trace. */
const SESSION_STARTS = 20;
const TRANSFER_STARTS = 2;

/** Measures and prints. */
export async function main({ json, quick, only }: { json: boolean; quick: boolean; only?: string }): Promise<void> {
  const parts = PARTS.filter((part) => only === undefined || part === only);
  if (parts.length === 0) throw new UserError(`--only must be one of ${PARTS.join(', ')}, got '${only}'`);
  const sets = linkSets();
  const found: { sessions?: Sessions[]; transfers?: Transfer[]; shares?: Share[] } = {};
  if (parts.includes('sessions')) {
    found.sessions = [];
    for (const set of sets) found.sessions.push(...(await sessionsOver(set, quick ? 1 : SESSION_STARTS)));
  }
  if (parts.includes('transfers') || parts.includes('shares')) {
    const { linkemu } = await ensureLinkEmulator();
    const folder = mkdtempSync(join(tmpdir(), 'voxel-congestion-'));
    const tools = { linkemu, quiche: await ensureQuicheServer(), probe: await ensureQuicheProbe(), folder };
    writeSegment(folder);
    try {
      if (parts.includes('transfers')) found.transfers = await transfersOf(tools, sets, quick ? 1 : TRANSFER_STARTS);
      if (parts.includes('shares')) found.shares = await sharesOf(tools, quick);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const { sessions, transfers, shares } = found;
  const tables = [
    sessions && sessionsTable(sessions),
    transfers && transfersTable(transfers),
    shares && sharesTable(shares),
  ];
  console.log(json ? JSON.stringify(found) : tables.filter(Boolean).join('\n\n'));
}

async function transfersOf(tools: Tools, sets: readonly LinkSet[], starts: number): Promise<Transfer[]> {
  const transfers: Transfer[] = [];
  for (const set of sets)
    for (const control of CONTROLS) {
      say(`congestion: ${set.name}, ${control}`);
      transfers.push(await transferOver(tools, set, control, starts));
    }
  return transfers;
}

async function sharesOf(tools: Tools, quick: boolean): Promise<Share[]> {
  const shares: Share[] = [];
  for (const queue of Object.keys(QUEUES) as (keyof typeof QUEUES)[])
    for (const others of OTHERS)
      for (const flows of quick ? [FLOWS[0]] : FLOWS)
        for (const control of CONTROLS) {
          say(`congestion: ${queue}, ${flows} × ${others}, ${control}`);
          shares.push(await shareBeside(tools, control, queue, others, flows));
        }
  return shares;
}

function sessionsTable(rows: readonly Sessions[]): string {
  const text = (difference: Difference, digits: number) => interval(difference, 1, digits);
  const head = [
    'links',
    'buffer',
    'pairs',
    'CUBIC: waited s',
    'SSIM',
    'QoE',
    'Δ waited s',
    'Δ worst 5 %, s',
    'Δ SSIM',
    'Δ QoE',
  ];
  const cells = rows.map(({ set, buffer, pairs, cubic, waited, worst, score, felt }) => [
    ...[set, String(buffer), String(pairs), cubic.waited.toFixed(2), cubic.score.toFixed(4), cubic.felt.toFixed(4)],
    ...[text(waited, 2), text(worst, 2), text(score, 4), text(felt, 4)],
  ]);
  return markdownTable([head, ...cells]);
}

function transfersTable(rows: readonly Transfer[]): string {
  const head = ['links', 'control', 'sessions', 'of the link, %', 'queued ms', 'lost %'];
  const percent = (share: number) => (100 * share).toFixed(1);
  const cells = rows.map(({ set, control, sessions, used, queued, lost }) => [
    ...[set, control, String(sessions), percent(used), queued.toFixed(1), percent(lost)],
  ]);
  return markdownTable([head, ...cells]);
}

function sharesTable(rows: readonly Share[]): string {
  const head = [
    'queue',
    'downloads',
    'control',
    'server, Mbit/s',
    'each download, Mbit/s',
    'server, of an equal share',
  ];
  const cells = rows.map(({ queue, others, flows, control, own, each, ofShare }) => [
    ...[queue, `${flows} × ${others}`, control, own.toFixed(2), each.toFixed(2), ofShare.toFixed(2)],
  ]);
  return markdownTable([head, ...cells]);
}
