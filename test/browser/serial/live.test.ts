import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { startRelay } from '../../../tools/start/relay.mjs';
import { liveFolder, playOn, startLive, startLivePlayer, type LiveStream } from '../support/live-stream.js';
import { fallbacksOnceReady, openPage, outcomeOf, servePlayerPage } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';

/** Seconds of the stream that each player plays. */
const PLAYED = 8;

let page: Page;
let live: LiveStream;

const stage = playerStage(async (folder) => {
  live = await startLive(folder);
  return servePlayerPage(folder, liveFolder(folder));
});

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

afterAll(() => live.stop('SIGKILL'));

/** Plays until some seconds past its first picture. */
async function play(...options: Parameters<typeof startLivePlayer> extends [Page, ...infer Rest] ? Rest : never) {
  await startLivePlayer(page, ...options);
  await playOn(page, PLAYED);
  return { outcome: await outcomeOf(page), chunks: await page.evaluate(() => window.chunks) };
}

it('plays a live stream over a lossy link, chunk by chunk, with gaps repaired', async () => {
  const relay = await startRelay({ lossPercent: 5, seed: 1 });
  relay.connect(stage.server.ready.quicPort);
  const endpoint = {
    url: `https://127.0.0.1:${relay.port}/voxel`,
    certificateHashes: stage.server.ready.certificateHashes,
  };
  const { outcome, chunks } = await play({ endpoint });
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
  const { outcome } = await play('plain');
  expect(outcome.errors).toEqual([]);
  expect(outcome.frames).toBeGreaterThan(0);
}, 120_000);
