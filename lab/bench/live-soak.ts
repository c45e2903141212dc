import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'puppeteer-core';
import { LIVE_SETTINGS, liveFolder, startLive } from '../../test/browser/support/live-stream.js';
import { openPage, servePlayerPage, startPlayer } from '../../test/browser/support/player-page.js';
import { ensureChrome } from '../../tools/setup/chrome.mjs';
import { integerOption, numberOption } from '../../tools/setup/command-line.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { say, UserError } from '../../tools/setup/process.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { startRelay } from '../../tools/start/relay.mjs';
import { atMost, barLine, type Bar } from '../sim/report/bar.js';

export const usage = `npm run bench -- live-soak [--json] [--minutes N] [--loss P]: a live stream, a second behind its capture, for N minutes (60) while P %
(5) of the server's packets are lost: how the heaps of the page and of its workers and the memory of the browser's processes grow after the
first three minutes, stalls, and errors. --json: one object on standard output. Exit code 1 where the heaps grow by more than 10 MB or
playback fails.`;

export const options = {
  json: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '60' },
  loss: { type: 'string', default: '5' },
} as const;

const SAMPLE_MS = 60_000;
/** Until then caches fill, functions are compiled, and the window of what is kept behind playback fills. */
const WARM_UP_SAMPLES = 3;
/** Bytes. */
const GROWTH_BAR = 10e6;

/** What one minute has left, after a collection of what nobody holds. */
interface Sample {
  /** Bytes. */
  readonly pageHeap: number;
  readonly workerHeap: number;
  /** What all processes of the browser hold for themselves. */
  readonly memory: number;
  readonly chunks: number;
  readonly chunksRepaired: number;
  readonly fallbacks: number;
  /** Seconds behind the capture. */
  readonly latency: number;
  readonly waits: number;
}

declare global {
  interface Window {
    waits: number;
  }
}

/** Measures and prints. Throws a `UserError`. */
export async function main(values: { json: boolean; minutes: string; loss: string }): Promise<Bar[]> {
  const minutes = integerOption('minutes', values.minutes, { low: WARM_UP_SAMPLES + 1, high: 100_000 });
  const lossPercent = numberOption('loss', values.loss, { low: 0, high: 99 });
  const samples = await play(minutes, lossPercent);
  const heap = ({ pageHeap, workerHeap }: Sample): number => pageHeap + workerHeap;
  const rest = samples.slice(WARM_UP_SAMPLES);
  const growthOf = (size: (sample: Sample) => number): number =>
    Math.max(...rest.map(size)) - size(samples[WARM_UP_SAMPLES - 1]!);
  const heapGrowth = growthOf(heap);
  const memoryGrowth = growthOf(({ memory }) => memory);
  const bars = [atMost('growth of the heaps in bytes', heapGrowth, GROWTH_BAR)];
  const summary = `after minute ${WARM_UP_SAMPLES} the heaps grow by ${megabytes(heapGrowth)}, the browser's memory by ${megabytes(memoryGrowth)} at most`;
  const report = { minutes, lossPercent, heapGrowth, memoryGrowth, samples, bars };
  console.log(values.json ? JSON.stringify(report) : [summary, ...bars.map(barLine)].join('\n'));
  return bars;
}

async function play(minutes: number, lossPercent: number): Promise<Sample[]> {
  await ensureBuild();
  const folder = mkdtempSync(join(tmpdir(), 'voxel-bench-'));
  const live = await startLive(folder);
  const server = await servePlayerPage(folder, liveFolder(folder));
  const relay = await startRelay({ lossPercent, seed: 1 });
  relay.connect(server.ready.quicPort);
  const browser = await launchChrome(await ensureChrome());
  try {
    const page = await openPage(browser, server.ready.url);
    const { certificateHashes } = server.ready;
    const endpoint = { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes };
    await startPlayer(page, { endpoint }, '/media/manifest.mpd', LIVE_SETTINGS);
    await page.waitForFunction(() => window.players[0]!.video.readyState > 2, { timeout: 30_000 });
    await page.evaluate(() => {
      window.waits = 0;
      window.players[0]!.video.addEventListener('waiting', () => window.waits++);
    });
    const samples: Sample[] = [];
    while (samples.length < minutes) {
      await sleep(SAMPLE_MS);
      const sample = await sampleOf(page);
      if (sample.chunks === (samples.at(-1)?.chunks ?? 0))
        throw new UserError(`playback stands still: no chunk came in minute ${samples.length + 1}`, 1);
      samples.push(sample);
      say(`${samples.length} of ${minutes} minutes: ${readable(samples.at(-1)!)}`);
    }
    return samples;
  } finally {
    await browser.close();
    relay.close();
    await server.stop();
    await live.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

async function sampleOf(page: Page): Promise<Sample> {
  const { errors, waits, latency, live } = await page.evaluate(() => {
    const { errors, handle, player } = window.players[0]!;
    const { live } = handle!.statistics();
    return { errors, waits: window.waits, latency: player.getCurrentLiveLatency(), live: live! };
  });
  if (errors.length > 0) throw new UserError(`playback failed: ${errors.join(', ')}`, 1);
  const client = await page.createCDPSession();
  const pageHeap = await heapOf(client);
  let workerHeap = 0;
  for (const worker of page.workers()) workerHeap += await heapOf(worker.client);
  await client.detach();
  const { chunks, chunksRepaired, fallbacks } = live;
  return { pageHeap, workerHeap, memory: await memoryOf(page), chunks, chunksRepaired, fallbacks, latency, waits };
}

async function heapOf(client: CDPSession): Promise<number> {
  await client.send('HeapProfiler.collectGarbage');
  return (await client.send('Runtime.getHeapUsage')).usedSize;
}

async function memoryOf(page: Page): Promise<number> {
  const client = await page.browser().target().createCDPSession();
  const { processInfo } = await client.send('SystemInfo.getProcessInfo');
  await client.detach();
  return processInfo.reduce((sum, { id }) => sum + privateBytesOf(id), 0);
}

/** 0 for a process that has ended meanwhile. */
function privateBytesOf(process: number): number {
  try {
    const text = readFileSync(`/proc/${process}/smaps_rollup`, 'utf8');
    return [...text.matchAll(/^Private_\w+: +(\d+) kB$/gm)].reduce((sum, match) => sum + 1024 * Number(match[1]), 0);
  } catch {
    return 0;
  }
}

function readable(sample: Sample): string {
  const { pageHeap, workerHeap, memory, chunks, chunksRepaired, fallbacks, latency, waits } = sample;
  const heaps = `page ${megabytes(pageHeap)}, workers ${megabytes(workerHeap)}, browser ${megabytes(memory)}`;
  return `${heaps}, ${latency.toFixed(2)} s behind, ${chunks} chunks, ${chunksRepaired} repaired, ${fallbacks} fallbacks, ${waits} waits`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
