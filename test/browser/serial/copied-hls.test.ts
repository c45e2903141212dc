import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { startCopied, type CopiedStream } from '../support/copied-stream.js';
import { HLS_PACKAGES, outcomeOfHls, playHlsUntil, serveHlsPage, startHls } from '../support/hls-page.js';
import { liveFolder, untilThere } from '../support/live-stream.js';
import { openPage } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';

/** Seconds of the stream that each player plays. */
const PLAYED = 8;

let copied: CopiedStream;
let page: Page;

const stage = playerStage(async (folder) => {
  copied = await startCopied(folder);
  await untilThere(join(liveFolder(folder), 'master.m3u8'));
  return serveHlsPage(folder, liveFolder(folder));
});

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

afterAll(() => copied.stop());

async function playOn(seconds: number): Promise<void> {
  const { currentTime } = await outcomeOfHls(page);
  await playHlsUntil(page, currentTime + seconds);
}

async function fatalErrors(): Promise<string[]> {
  const { errors } = await outcomeOfHls(page);
  return errors.filter((error) => error.includes('(fatal)'));
}

it.each(HLS_PACKAGES)('%s plays what an encoder elsewhere sends, by segments', async (name) => {
  await startHls(page, 'plain', name);
  await playHlsUntil(page, 0.1);
  await playOn(PLAYED);
  const { decodedAudioBytes, frames } = await outcomeOfHls(page);
  expect(await fatalErrors()).toEqual([]);
  expect(frames).toBeGreaterThan(0);
  expect(decodedAudioBytes).toBeGreaterThan(0);
});

it('plays on when the representation that is played goes away and comes back', async () => {
  const master = () => readFileSync(join(liveFolder(stage.folder), 'master.m3u8'), 'utf8');
  const isListed = async (wanted: boolean) => {
    while (master().includes('v2/media.m3u8') !== wanted) await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await startHls(page, 'plain');
  await playHlsUntil(page, 0.1);
  await page.evaluate(() => (window.hlsPlayer.hls.nextLevel = window.hlsPlayer.hls.levels.length - 1));
  await playOn(2);
  copied.mute(2);
  await isListed(false);
  await playOn(4);
  copied.mute(undefined);
  await isListed(true);
  await playOn(6);
  expect(await fatalErrors()).toEqual([]);
}, 120_000);
