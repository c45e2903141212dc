import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import type { LatencyMeter, LatencySummary } from '../../player/live/index.js';
import { startSent, WAYS, type Way } from '../../test/browser/support/copied-stream.js';
import { captureStart, liveFolder } from '../../test/browser/support/live-stream.js';
import { openPage, servePlayerPageWith, startPlayer } from '../../test/browser/support/player-page.js';
import { ensureChrome } from '../../tools/setup/chrome.mjs';
import { choiceOption, integerOption } from '../../tools/setup/command-line.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { say, UserError } from '../../tools/setup/process.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { startRelay } from '../../tools/start/relay.mjs';
import { atLeast, atMost, barLine, type Bar } from '../sim/report/bar.js';

export const usage = `npm run bench -- live-inputs [--json] [--input WAY] [--minutes N] [--loss P] [--server PROGRAM]: FFmpeg sends a ladder of three to voxel-live on each of
the ways, or on one: udp and rtmp, a stream for each representation; srt, one stream, by a named pipe (FFmpeg on the path must have it); ingest, CMAF
over HTTP. voxel-dash plays each for N minutes (10) with the settings that it has by itself, a second behind what the encoder delivers, while P % (3) of
the server's packets are lost: how far behind the capture, by the pictures shown, the start included; how often it waits; what was repaired. PROGRAM:
voxel-quiche instead of voxel-serve. --json: one object on standard output. Exit code 1 where playback is further behind than the target and .1 s for
more than 5 % of the time, fails, or does not come over a session.`;

export const options = {
  json: { type: 'boolean', default: false },
  input: { type: 'string' },
  minutes: { type: 'string', default: '10' },
  loss: { type: 'string', default: '3' },
  server: { type: 'string' },
} as const;

/** Seconds behind the capture for 95 % of the time: the target, which `voxel-live` states by itself, and .1. */
const LATENCY_BAR = 1.1;

/** Share of the chunks of pictures and sound that come over the session. */
const SESSION_BAR = 0.99;

interface Played {
  readonly input: Way;
  readonly latency: LatencySummary;
  /** How often playback stood after its first picture. */
  readonly waits: number;
  readonly chunks: number;
  readonly chunksRepaired: number;
  /** Segments, or their rest, that came over HTTP. */
  readonly fallbacks: number;
  readonly errors: readonly string[];
}

declare global {
  interface Window {
    inputs: { readonly meter: LatencyMeter; waits: number };
  }
}

interface Values {
  readonly json: boolean;
  readonly input?: string;
  readonly minutes: string;
  readonly loss: string;
  readonly server?: string;
}

/** Measures and prints. Throws a `UserError`. */
export async function main(values: Values): Promise<Bar[]> {
  const only = choiceOption('input', values.input, WAYS) as Way | undefined;
  const [minutes, loss] = [
    integerOption('minutes', values.minutes, { low: 1, high: 600 }),
    integerOption('loss', values.loss, { low: 0, high: 99 }),
  ];
  const inputs = only === undefined ? WAYS : [only];
  if (inputs.includes('srt') && !hasSrt())
    throw new UserError('srt takes an FFmpeg on the path that has it: --input names another way', 1);
  await ensureBuild();
  const played: Played[] = [];
  for (const input of inputs) {
    const one = await play(input, minutes, loss, values.server ?? venvProgram('voxel-serve'));
    played.push(one);
    say(lineOf(one));
  }
  const bars = played.flatMap(({ input, latency, chunks, fallbacks, errors }) => [
    atMost(`${input}: seconds behind the capture, for 95 % of the time`, latency.p95 ?? Infinity, LATENCY_BAR),
    atMost(`${input}: errors`, errors.length, 0),
    atLeast(
      `${input}: chunks over a session, of those and what came over HTTP`,
      chunks / (chunks + fallbacks),
      SESSION_BAR,
    ),
  ]);
  console.log(values.json ? JSON.stringify({ minutes, loss, played, bars }) : bars.map(barLine).join('\n'));
  return bars;
}

function hasSrt(): boolean {
  const { stdout } = spawnSync('ffmpeg', ['-v', 'error', '-protocols'], { encoding: 'utf8' });
  return /^\s*srt$/m.test(stdout);
}

async function play(input: Way, minutes: number, lossPercent: number, program: string): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-live-inputs-'));
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  try {
    ends.unshift(await startSent(folder, input));
    const out = liveFolder(folder);
    const server = await servePlayerPageWith(program, folder, out);
    ends.unshift(() => server.stop());
    const relay = await startRelay({ lossPercent, seed: 1 });
    ends.unshift(() => relay.close());
    relay.connect(server.ready.quicPort);
    const browser = await launchChrome(await ensureChrome());
    ends.unshift(() => browser.close());
    const page = await openPage(browser, server.ready.url);
    const { certificateHashes } = server.ready;
    await startPlayer(page, { endpoint: { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes } });
    await watch(page, captureStart(out));
    for (let minute = 1; minute <= minutes; minute++) {
      await sleep(60_000);
      say(`${minute} of ${minutes} minutes: ${lineOf(await seenIn(page, input))}`);
    }
    return await seenIn(page, input);
  } finally {
    for (const end of ends) await end();
  }
}

/** Measures from the first picture on. */
async function watch(page: Page, start: number): Promise<void> {
  await page.evaluate((start) => {
    const { voxelDash } = window as unknown as { voxelDash: typeof import('../../player/live/index.js') };
    const video = document.querySelector('video')!;
    window.inputs = { meter: voxelDash.measureLatency(video, () => ({ start })), waits: 0 };
    video.addEventListener('waiting', () => video.currentTime > 0 && window.inputs.waits++);
  }, start);
  await page.waitForFunction(() => document.querySelector('video')!.readyState > 2, { timeout: 60_000 });
}

async function seenIn(page: Page, input: Way): Promise<Played> {
  const { latency, waits, live, errors } = await page.evaluate(() => {
    const { errors, handle } = window.players[0]!;
    const { meter, waits } = window.inputs;
    return { latency: meter.summary(), waits, live: handle!.statistics().live!, errors };
  });
  const { chunks, chunksRepaired, fallbacks } = live;
  if (chunks === 0) throw new UserError(`${input}: no chunk came over a session: ${errors.join(', ')}`, 1);
  return { input, latency, waits, chunks, chunksRepaired, fallbacks, errors };
}

function lineOf({ input, latency, waits, chunks, chunksRepaired, fallbacks, errors }: Played): string {
  const [mean, p95] = [latency.mean, latency.p95].map((seconds) => seconds?.toFixed(2) ?? '–');
  const came = `${chunks} chunks over the session, ${chunksRepaired} repaired, ${fallbacks} times HTTP`;
  return [`${input}: ${mean} s behind, 95 %: ${p95} s`, `${waits} waits`, came, ...errors].join(', ');
}
