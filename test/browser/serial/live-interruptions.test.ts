import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  LIVE_SETTINGS,
  liveFolder,
  playOn,
  startLive,
  startLivePlayer,
  type LiveStream,
} from '../support/live-stream.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playUntil,
  servePlayerPage,
  startPlayer,
  type PlayerServer,
} from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';

/** Milliseconds that the encoder is away. */
const AWAY = 3000;

/** dash.js gives a server up after a second and a half, and a busy machine takes longer to start one. */
const PATIENT = { streaming: { ...LIVE_SETTINGS.streaming, retryAttempts: { MPD: 100, MediaSegment: 100 } } };

let live: LiveStream;
let server: PlayerServer;
let page: Page;
/** A player with the plugin, and dash.js without. */
let players: readonly number[];

const stage = playerStage(async (folder) => {
  live = await startLive(folder, '--keep');
  server = await servePlayerPage(folder, liveFolder(folder));
  return { ...server, stop: () => server.stop() };
});

beforeAll(async () => {
  page = await openPage(stage.browser, server.ready.url);
  const plain = await startLivePlayer(page, 'plain', PATIENT);
  players = [await startLivePlayer(page, {}, PATIENT), plain];
  await page.waitForFunction(() => window.chunks.length > 0, { polling: 50 });
}, 60_000);

afterAll(async () => {
  await page.close();
  await live.stop('SIGKILL');
});

/** Both play two seconds more. */
async function expectToPlayOn(): Promise<void> {
  await Promise.all(players.map((player) => playOn(page, 2, player)));
  for (const player of players) expect((await outcomeOf(page, player)).errors).toEqual([]);
}

/** Waits for chunks of a session. */
async function untilChunksCome(): Promise<void> {
  const before = await page.evaluate(() => window.chunks.length);
  await page.waitForFunction((before) => window.chunks.length > before + 6, { timeout: 60_000, polling: 50 }, before);
}

it('plays on, with the plugin and without, when the encoder is killed and comes back', async () => {
  await live.stop('SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, AWAY));
  live = await startLive(stage.folder, '--keep');
  await expectToPlayOn();
  await untilChunksCome();
  const { sessions } = await outcomeOf(page, players[0]);
  expect(sessions.map(({ state }) => state)).toEqual(['opened']);
}, 120_000);

it('plays on when the server is restarted, first over HTTP and then over a session again', async () => {
  const { url, quicPort } = server.ready;
  await server.stop();
  const ports = ['--http-port', new URL(url).port, '--quic-port', String(quicPort)];
  server = await servePlayerPage(stage.folder, liveFolder(stage.folder), ...ports);
  await expectToPlayOn();
  await page.waitForFunction(
    (player) => window.players[player!]!.sessions.filter(({ state }) => state === 'opened').length > 1,
    { timeout: 60_000, polling: 50 },
    players[0],
  );
  await untilChunksCome();
  expect((await outcomeOf(page, players[0])).fallbacks.length).toBeGreaterThan(0);
}, 120_000);

it('plays the stream to its end when the encoder ends it', async () => {
  // They are as patient as dash.js is by itself.
  const ended = [await startLivePlayer(page, 'plain'), await startLivePlayer(page)];
  await untilChunksCome();
  expect(await live.stop('SIGINT')).toEqual([0, null]);
  await Promise.all(ended.map((player) => playUntil(page, Infinity, player)));
  for (const player of ended) expect(await outcomeOf(page, player)).toMatchObject({ errors: [], ended: true });
}, 120_000);

it('plays the ended stream on demand, from its start and over a session', async () => {
  const player = await startPlayer(page);
  await playUntil(page, 3, player);
  const outcome = await outcomeOf(page, player);
  expect(outcome.errors).toEqual([]);
  expect(fallbacksOnceReady(outcome)).toEqual([]);
  expect(outcome.statistics!.segments.some(({ delivery }) => delivery === 'datagrams')).toBe(true);
}, 120_000);
