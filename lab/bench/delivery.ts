import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { outcomeOf, playUntil } from '../../test/browser/support/player-page.js';
import { root } from '../../tools/setup/paths.mjs';
import { run, say } from '../../tools/setup/process.mjs';
import { readResults } from '../trials/results-file.js';
import { atMost, barLine, type Bar } from '../sim/report/bar.js';
import { withLossyPlayback, withStage } from './player/lossy-playback.js';

export const usage = `npm run bench -- delivery [--json] [--quick]: what of the video remains lost after retransmission, at 0 and 2 % packet loss on a
link without limit and, unless --quick, on a recorded link (which needs what trials need). --json: one object on standard
output. Exit code 1 where more remains lost than its bar allows.`;

const flag = { type: 'boolean', default: false } as const;

export const options = { json: flag, quick: flag } as const;

/**
 * Percent of the packets that are lost; the bar that goes with it, in percent of the bytes. Whole segments go as datagrams,
 * so that there is something to lose: the plugin's own rule may take streams.
 */
const PACKET_LOSSES = [
  { percent: 0, abr: 'dashjs', choice: 'whole segments as datagrams', bar: 0 },
  { percent: 2, abr: 'dashjs', choice: 'whole segments as datagrams', bar: 0.2 },
  { percent: 2, abr: 'abr-star', choice: "the plugin's own choice", bar: 0.2 },
] as const;

/** Percent of the bytes at N segments of buffer on the Verizon trace (thesis §6.6). */
const VERIZON_BARS: Readonly<Record<number, number>> = { 2: 0.9, 3: 1.5, 7: 1.8 };

/** Seconds of the sample's 60. */
const HALFWAY = 30;

/** What became of the bytes of one or more sessions. */
interface Remains {
  readonly bytes: number;
  readonly lost: number;
  readonly refetched: number;
  /** Rate of the fastest download, Mbit/s; undefined where it is not known. */
  readonly fastest?: number;
}

interface Row {
  readonly what: string;
  /** In percent of the bytes. */
  readonly remainingLoss: number;
  readonly refetched: number;
  readonly bar: number;
  readonly fastest: number | undefined;
}

/** Measures and prints. */
export async function main({ json, quick }: { json: boolean; quick: boolean }): Promise<Bar[]> {
  const rows = [...(await atPacketLoss()), ...(quick ? [] : await onVerizon())];
  const bars = rows.map(({ what, remainingLoss, bar }) => atMost(`${what}: % that remain lost`, remainingLoss, bar));
  if (json) {
    console.log(JSON.stringify({ remainingLoss: rows, bars }));
    return bars;
  }
  for (const { what, refetched, fastest } of rows) {
    const speed = fastest === undefined ? '' : `, up to ${fastest.toFixed(0)} Mbit/s`;
    console.log(`${what}: ${refetched.toFixed(2)} % fetched again${speed}`);
  }
  console.log(bars.map(barLine).join('\n'));
  return bars;
}

async function atPacketLoss(): Promise<Row[]> {
  return withStage(async (stage) => {
    const rows: Row[] = [];
    for (const { percent, abr, choice, bar } of PACKET_LOSSES) {
      say(`${percent} % of the packets lost, ${choice} …`);
      const remains = await withLossyPlayback(stage, { abr, lossPercent: percent }, remainsOf);
      rows.push(rowOf(`${percent} % packet loss, ${choice}`, remains, bar));
    }
    return rows;
  });
}

/** What remains lost of the video once it has been played to its end. */
async function remainsOf(page: Page): Promise<Remains> {
  // Each wait lasts a minute at most.
  await playUntil(page, HALFWAY);
  await playUntil(page);
  const { errors, statistics } = await outcomeOf(page);
  if (errors.length > 0) throw new Error(`playback failed: ${errors.join(', ')}`);
  const { segments } = statistics!;
  const remains = sumOf(
    segments.map(({ bytesReliable, bytesUnreliable, bytesLost, bytesRefetched }) => ({
      bytes: bytesReliable + bytesUnreliable + bytesLost,
      lost: bytesLost,
      refetched: bytesRefetched,
    })),
  );
  return { ...remains, fastest: Math.max(...segments.map(({ throughput }) => throughput)) / 1e6 };
}

async function onVerizon(): Promise<Row[]> {
  const out = mkdtempSync(join(tmpdir(), 'voxel-bench-'));
  const config = 'lab/trials/configs/remaining-loss.json';
  await run('node', ['lab/trials/trials.mjs', config, '--out', out], { cwd: root, output: 'on-failure' });
  const trials = readResults(join(out, 'trials.jsonl')).filter(({ valid }) => valid);
  rmSync(out, { recursive: true });
  return Object.entries(VERIZON_BARS).map(([buffer, bar]) => {
    const remains = trials
      .filter((trial) => trial.buffer === Number(buffer))
      .map(({ bytesDelivered, bytesLost, bytesRefetched }) => ({
        bytes: bytesDelivered + bytesLost,
        lost: bytesLost,
        refetched: bytesRefetched,
      }));
    return rowOf(`${trials[0]?.trace ?? 'no valid trial'}, ${buffer} segments`, sumOf(remains), bar);
  });
}

function sumOf(parts: readonly Remains[]): Remains {
  return parts.reduce(
    (sum, { bytes, lost, refetched }) => ({
      bytes: sum.bytes + bytes,
      lost: sum.lost + lost,
      refetched: sum.refetched + refetched,
    }),
    { bytes: 0, lost: 0, refetched: 0 },
  );
}

function rowOf(what: string, { bytes, lost, refetched, fastest }: Remains, bar: number): Row {
  return { what, remainingLoss: (100 * lost) / bytes, refetched: (100 * refetched) / bytes, bar, fastest };
}
