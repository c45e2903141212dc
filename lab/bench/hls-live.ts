import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import type { LatencyMeter, LatencySummary } from '../../player/live/index.js';
import {
  errorsOfHls,
  isStall,
  outcomeOfHls,
  playHlsUntil,
  serveHlsPage,
  startHls,
} from '../../test/browser/support/hls-page.js';
import { liveFolder, startLive, untilThere } from '../../test/browser/support/live-stream.js';
import { openPage } from '../../test/browser/support/player-page.js';
import { ensureChrome } from '../../tools/setup/chrome.mjs';
import { integerOption } from '../../tools/setup/command-line.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { say } from '../../tools/setup/process.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { atMost, barLine, type Bar } from '../sim/report/bar.js';

export const usage = `npm run bench -- hls-live [--json] [--pairs N] [--seconds S]: a live stream of voxel-live, encoded at --latency 1, as LL-HLS in the newest
hls.js with its settings as they are, N times (3) S seconds (60, at most 120) over HTTP and then over a session with voxel-dash/hls, one after the other:
how far each plays behind the capture by the pictures shown, and how often it waits. The bars are for a minute: the plugin's start is further behind.
--json: one object on standard output. Exit code 1 where a bar is missed or playback fails.`;

export const options = {
  json: { type: 'boolean', default: false },
  pairs: { type: 'string', default: '3' },
  seconds: { type: 'string', default: '60' },
} as const;

/** That `playHlsUntil` waits for, with room for waits. */
const MOST_SECONDS = 120;

/** Seconds behind the capture, on average over a session. */
const BARS = { stock: 2, voxel: 1.1 } as const;

type Kind = keyof typeof BARS;

const KINDS = Object.keys(BARS) as Kind[];

interface Played {
  readonly kind: Kind;
  readonly latency: LatencySummary;
  /** How often hls.js said that its buffer was empty. */
  readonly waits: number;
  readonly errors: readonly string[];
}

declare global {
  interface Window {
    live: typeof import('../../player/live/index.js');
    latencyMeter: LatencyMeter;
  }
}

/** Measures and prints. Throws a `UserError`. */
export async function main(values: { json: boolean; pairs: string; seconds: string }): Promise<Bar[]> {
  const [pairs, seconds] = [
    integerOption('pairs', values.pairs, { low: 1, high: 1000 }),
    integerOption('seconds', values.seconds, { low: 1, high: MOST_SECONDS }),
  ];
  const played = await playAll(pairs, seconds);
  const bars = KINDS.flatMap((kind) => {
    const own = played.filter((one) => one.kind === kind);
    const mean = own.reduce((sum, { latency }) => sum + latency.mean!, 0) / own.length;
    const errors = own.flatMap((one) => one.errors).length;
    return [atMost(`${kind}: seconds behind the capture`, mean, BARS[kind]), atMost(`${kind}: errors`, errors, 0)];
  });
  console.log(values.json ? JSON.stringify({ pairs, seconds, played, bars }) : bars.map(barLine).join('\n'));
  return bars;
}

async function playAll(pairs: number, seconds: number): Promise<Played[]> {
  await ensureBuild();
  const folder = mkdtempSync(join(tmpdir(), 'voxel-hls-live-'));
  const live = await startLive(folder, '--latency', '1');
  await untilThere(join(liveFolder(folder), 'master.m3u8'));
  const server = await serveHlsPage(folder, liveFolder(folder));
  const browser = await launchChrome(await ensureChrome());
  try {
    const played: Played[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      for (const kind of KINDS) {
        const one = await play(browser, server.ready.url, kind, seconds);
        played.push(one);
        say(`${played.length} of ${KINDS.length * pairs}: ${kind} ${JSON.stringify(one.latency)}, ${one.waits} waits`);
      }
    }
    return played;
  } finally {
    await browser.close();
    await server.stop();
    await live.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  }
}

async function play(browser: Browser, url: string, kind: Kind, seconds: number): Promise<Played> {
  const page = await openPage(browser, url);
  await page.addScriptTag({ url: '/dist/umd/voxel-dash-live.js' });
  // The bundle of hls.js' plugin has the same name on a page.
  await page.evaluate(() => Object.assign(window, { live: (window as { voxelDash?: unknown }).voxelDash }));
  await startHls(page, kind === 'stock' ? 'plain' : {});
  await page.evaluate(() => {
    const { hls, video } = window.hlsPlayer;
    window.latencyMeter = window.live.measureLatency(video, () => {
      const { playingDate } = hls;
      return playingDate ? { start: Number(playingDate) - 1000 * video.currentTime } : undefined;
    });
  });
  await playHlsUntil(page, 0.1);
  await playHlsUntil(page, (await outcomeOfHls(page)).currentTime + seconds);
  const latency = await page.evaluate(() => window.latencyMeter.summary());
  const outcome = await outcomeOfHls(page);
  await page.close();
  return { kind, latency, waits: outcome.errors.filter(isStall).length, errors: errorsOfHls(outcome) };
}
