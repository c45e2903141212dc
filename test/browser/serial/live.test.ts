import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import type { ChunkEvent } from '../../../player/full.js';
import { venvProgram } from '../../../tools/setup/paths.mjs';
import { startRelay } from '../../../tools/start/relay.mjs';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';
import { run } from '../support/clip.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playUntil,
  servePlayerPage,
  startPlayer,
} from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';

declare global {
  interface Window {
    chunks: ChunkEvent[];
  }
}

/** Seconds of the stream that each player plays. */
const PLAYED = 8;

const SETTINGS = { streaming: { delay: { liveDelay: 1 }, liveCatchup: { enabled: true } } };

let page: Page;
let encoder: ChildProcess;

const stage = playerStage(async (folder) => {
  const source = join(folder, 'source.mp4');
  const inputs = ['testsrc2=size=256x144:rate=25', 'sine=frequency=440'].flatMap((input) => [
    '-f',
    'lavfi',
    '-i',
    input,
  ]);
  run(ffmpegBinary(), [...inputs, '-t', '10', '-preset', 'ultrafast', '-c:a', 'aac', source]);
  encoder = spawn(venvProgram('voxel-live'), [
    source,
    '--out',
    live(folder),
    '--levels',
    '144p:0.2,144p:0.4',
    '--keep',
  ]);
  const manifest = join(live(folder), 'manifest.mpd');
  while (!existsSync(manifest)) await new Promise((resolve) => setTimeout(resolve, 50));
  return servePlayerPage(folder, live(folder));
});

const live = (folder: string): string => join(folder, 'live');

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

afterAll(() => {
  encoder.kill();
});

/** Plays until some seconds past its first picture. */
async function play(...options: Parameters<typeof startPlayer> extends [Page, ...infer Rest] ? Rest : never) {
  await startPlayer(page, ...options);
  await page.evaluate(() => {
    window.chunks = [];
    window.players[0]!.handle?.on('chunk', (chunk) => window.chunks.push(chunk));
  });
  await page.waitForFunction(() => window.players[0]!.video.readyState > 2, { timeout: 30_000 });
  const { currentTime } = await outcomeOf(page);
  await playUntil(page, currentTime + PLAYED);
  return { outcome: await outcomeOf(page), chunks: await page.evaluate(() => window.chunks) };
}

it('plays a live stream over a lossy link, chunk by chunk, with gaps repaired', async () => {
  const relay = await startRelay({ lossPercent: 5, seed: 1 });
  relay.connect(stage.server.ready.quicPort);
  const endpoint = {
    url: `https://127.0.0.1:${relay.port}/voxel`,
    certificateHashes: stage.server.ready.certificateHashes,
  };
  const { outcome, chunks } = await play({ endpoint }, '/media/manifest.mpd', SETTINGS);
  relay.close();
  expect(outcome.errors).toEqual([]);
  expect(fallbacksOnceReady(outcome)).toEqual([]);
  const video = chunks.filter(({ mediaType }) => mediaType === 'video');
  const seconds = video.reduce((sum, { duration }) => sum + duration, 0);
  expect(seconds).toBeGreaterThan(PLAYED - 2);
  expect(chunks.some(({ mediaType }) => mediaType === 'audio')).toBe(true);
  expect(video.some(({ bytesUnreliable }) => bytesUnreliable > 0)).toBe(true);
  const hurt = video.filter(
    ({ bytesRecovered, bytesRepeated, framesRepaired }) => bytesRecovered + bytesRepeated + framesRepaired > 0,
  );
  console.log(`${video.length} chunks of video, losses in ${hurt.length} of them`);
  expect(hurt.length).toBeGreaterThan(0);
}, 120_000);

it('is a stream that any player plays', async () => {
  const { outcome } = await play('plain', '/media/manifest.mpd', SETTINGS);
  expect(outcome.errors).toEqual([]);
  expect(outcome.frames).toBeGreaterThan(0);
}, 120_000);

it('is played on demand after its end, over the session', async () => {
  encoder.kill('SIGINT');
  expect(await once(encoder, 'exit')).toEqual([0, null]);
  expect(readFileSync(join(live(stage.folder), 'manifest.mpd'), 'utf8')).toContain('type="static"');
  await startPlayer(page);
  await playUntil(page, 3);
  const outcome = await outcomeOf(page);
  expect(outcome.errors).toEqual([]);
  expect(fallbacksOnceReady(outcome)).toEqual([]);
  expect(outcome.statistics!.segments.filter(({ delivery }) => delivery === 'datagrams').length).toBeGreaterThan(0);
}, 120_000);
