import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'puppeteer-core';
import { serverCounters } from '../../test/browser/support/server-counters.js';
import { integerOption } from '../../tools/setup/command-line.mjs';
import { say, UserError } from '../../tools/setup/process.mjs';
import type { Ready } from '../../tools/start/server.mjs';
import { atMost, barLine, type Bar } from '../sim/report/bar.js';
import { withLossyPlayback, withStage } from './player/lossy-playback.js';

export const usage = `npm run bench -- player-soak [--json] [--minutes N]: the sample played over and over for N minutes (30) over datagrams, of which
5 % are lost: how the heaps of the page and of its worker grow after the first five minutes, and whether listeners or sessions
are left behind. --json: one object on standard output. Exit code 1 where the heaps grow by more than 10 MB.`;

export const options = {
  json: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '30' },
} as const;

const LOSS_PERCENT = 5;
const SAMPLE_MS = 60_000;
/** Until then caches fill and functions are compiled. */
const WARM_UP_SAMPLES = 5;
/** Bytes. */
const GROWTH_BAR = 10e6;

/** At one time, after a collection of what nobody holds. */
interface Sample {
  /** Bytes. */
  readonly pageHeap: number;
  readonly workerHeap: number;
  readonly listeners: number;
  readonly nodes: number;
  readonly workers: number;
  /** That the server holds. */
  readonly sessions: number;
  readonly loops: number;
  readonly segments: number;
}

declare global {
  interface Window {
    loops: number;
  }
}

/** Measures and prints. Throws a `UserError`. */
export async function main({ json, minutes }: { json: boolean; minutes: string }): Promise<Bar[]> {
  const count = integerOption('minutes', minutes, { low: WARM_UP_SAMPLES + 1, high: 100_000 });
  const samples = await withStage((stage) =>
    // Whole segments as datagrams, so that there is something to lose.
    withLossyPlayback(stage, { abr: 'dashjs', lossPercent: LOSS_PERCENT }, async (page) => {
      await playInLoop(page);
      const taken: Sample[] = [];
      while (taken.length < count) {
        await sleep(SAMPLE_MS);
        taken.push(await sampleOf(page, stage.server.ready));
        say(`${taken.length} of ${count} minutes: ${readable(taken.at(-1)!)}`);
      }
      return taken;
    }),
  );
  const report = reportOf(samples);
  const bars = [atMost('growth of the heaps in bytes', report.heapGrowth, GROWTH_BAR)];
  console.log(json ? JSON.stringify({ ...report, bars }) : [summaryOf(report), ...bars.map(barLine)].join('\n'));
  return bars;
}

async function playInLoop(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { player } = window.players[0]!;
    window.loops = 0;
    player.on('playbackEnded', () => {
      window.loops += 1;
      player.seek(0);
      player.play();
    });
  });
}

async function sampleOf(page: Page, server: Ready): Promise<Sample> {
  const { errors, loops, segments } = await page.evaluate(() => {
    const { errors, handle } = window.players[0]!;
    return { errors, loops: window.loops, segments: handle!.statistics().segments.length };
  });
  if (errors.length > 0) throw new UserError(`playback failed: ${errors.join(', ')}`, 1);
  const client = await page.createCDPSession();
  const workers = page.workers();
  const pageHeap = await heapOf(client);
  let workerHeap = 0;
  for (const worker of workers) workerHeap += await heapOf(worker.client);
  await client.detach();
  const { JSEventListeners: listeners = 0, Nodes: nodes = 0 } = await page.metrics();
  const sessions = Number((await serverCounters(server, 'voxel_sessions ')).split(' ')[1]);
  return { pageHeap, workerHeap, listeners, nodes, workers: workers.length, sessions, loops, segments };
}

async function heapOf(client: CDPSession): Promise<number> {
  await client.send('HeapProfiler.collectGarbage');
  return (await client.send('Runtime.getHeapUsage')).usedSize;
}

/** What has grown since the warm-up, `heapGrowth` in bytes of both heaps. */
function reportOf(samples: readonly Sample[]) {
  const [first, last] = [samples[WARM_UP_SAMPLES - 1]!, samples.at(-1)!];
  const heap = ({ pageHeap, workerHeap }: Sample): number => pageHeap + workerHeap;
  return {
    heapGrowth: Math.max(...samples.slice(WARM_UP_SAMPLES).map(heap)) - heap(first),
    listenerGrowth: last.listeners - first.listeners,
    nodeGrowth: last.nodes - first.nodes,
    workers: last.workers,
    sessions: last.sessions,
    loops: last.loops,
    samples,
  };
}

function summaryOf({ heapGrowth, listenerGrowth, nodeGrowth, workers, sessions, loops }: ReturnType<typeof reportOf>) {
  return [
    `after minute ${WARM_UP_SAMPLES} the heaps grow by ${megabytes(heapGrowth)} at most`,
    `listeners ${signed(listenerGrowth)}, nodes ${signed(nodeGrowth)}, workers ${workers}, sessions ${sessions}, played ${loops} times`,
  ].join('\n');
}

function readable({ pageHeap, workerHeap, listeners, nodes, sessions, segments }: Sample): string {
  const heaps = `page ${megabytes(pageHeap)}, worker ${megabytes(workerHeap)}`;
  return `${heaps}, ${listeners} listeners, ${nodes} nodes, ${sessions} sessions, ${segments} segments so far`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

function signed(count: number): string {
  return `${count < 0 ? '' : '+'}${count}`;
}
