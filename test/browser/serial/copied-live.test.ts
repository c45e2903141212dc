import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { HANDSHAKE_PACKETS, startRelay } from '../../../tools/start/relay.mjs';
import { startCopied, type CopiedStream } from '../support/copied-stream.js';
import { liveFolder, PATIENT, playOn, recordVideo, recordedVideo, startLivePlayer } from '../support/live-stream.js';
import { openPage, outcomeOf, servePlayerPage } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';
import { strictDecode } from '../support/strict-decode.js';

/** Share of the server's packets that are lost. There is no delay on the way, so much of it comes in time when it is asked for again … */
const LOSS_PERCENT = 30;

/** … and with so little latency some of it does not. */
const CLOSE = { streaming: { ...PATIENT.streaming, delay: { liveDelay: 0.5 } } };

/** Milliseconds that the encoder is away. */
const AWAY = 3000;

let copied: CopiedStream;
let page: Page;

const stage = playerStage(async (folder) => {
  copied = await startCopied(folder);
  return servePlayerPage(folder, liveFolder(folder));
});

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

afterAll(() => copied.stop());

it('plays what an encoder elsewhere sends over a lossy link, with gaps repaired for the strictest of decoders', async () => {
  await recordVideo(page);
  const relay = await startRelay({ lossPercent: LOSS_PERCENT, seed: 1, spared: HANDSHAKE_PACKETS });
  relay.connect(stage.server.ready.quicPort);
  const endpoint = {
    url: `https://127.0.0.1:${relay.port}/voxel`,
    certificateHashes: stage.server.ready.certificateHashes,
  };
  await startLivePlayer(page, { endpoint }, CLOSE);
  await playOn(page, 8);
  await page.waitForFunction(
    () => window.chunks.some(({ mediaType, framesRepaired }) => mediaType === 'video' && framesRepaired > 0),
    { timeout: 60_000, polling: 50 },
  );
  const [{ errors }, chunks] = [await outcomeOf(page), await page.evaluate(() => window.chunks)];
  relay.close();
  expect(errors).toEqual([]);
  expect(chunks.some(({ mediaType }) => mediaType === 'audio')).toBe(true);
  expect(chunks.some(({ mediaType, bytesUnreliable }) => mediaType === 'video' && bytesUnreliable > 0)).toBe(true);
  for (const { init, media } of await recordedVideo(page)) expect(() => strictDecode(init, media)).not.toThrow();
}, 120_000);

it('plays on, with the plugin and without, when the encoder is killed and comes back', async () => {
  const plain = await startLivePlayer(page, 'plain', PATIENT);
  const players = [await startLivePlayer(page, {}, PATIENT), plain];
  await Promise.all(players.map((player) => playOn(page, 2, player)));
  await copied.killEncoder();
  await new Promise((resolve) => setTimeout(resolve, AWAY));
  copied.startEncoder();
  await Promise.all(players.map((player) => playOn(page, 6, player)));
  for (const player of players) expect((await outcomeOf(page, player)).errors).toEqual([]);
  const before = await page.evaluate(() => window.chunks.length);
  await page.waitForFunction((before) => window.chunks.length > before + 10, { timeout: 60_000, polling: 50 }, before);
}, 120_000);

it('plays on, with the plugin and without, when the representation that is played goes away and comes back', async () => {
  const plain = await startLivePlayer(page, 'plain', PATIENT);
  const players = [await startLivePlayer(page, {}, PATIENT), plain];
  await Promise.all(players.map((player) => playOn(page, 2, player)));
  copied.mute(2);
  await untilManifest((text) => !text.includes('id="v2"'));
  await Promise.all(players.map((player) => playOn(page, 6, player)));
  copied.mute(undefined);
  await untilManifest((text) => text.includes('id="v2"'));
  await Promise.all(players.map((player) => playOn(page, 6, player)));
  for (const player of players) expect((await outcomeOf(page, player)).errors).toEqual([]);
}, 120_000);

async function untilManifest(holds: (text: string) => boolean): Promise<void> {
  const path = join(liveFolder(stage.folder), 'manifest.mpd');
  while (!holds(readFileSync(path, 'utf8'))) await new Promise((resolve) => setTimeout(resolve, 50));
}
