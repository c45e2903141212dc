import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { liveFolder, PATIENT, playOn, startLive, startLivePlayer, type LiveStream } from '../support/live-stream.js';
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

let live: LiveStream;
let server: PlayerServer;
let page: Page;
/** A player with the plugin, and dash.js without. */
let players: readonly number[];
/** The same, at the end of the stream. */
let ended: readonly number[];

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
  const { sessions } = await outcomeOf(page, players[0]);
  await live.stop('SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, AWAY));
  live = await startLive(stage.folder, '--keep');
  await expectToPlayOn();
  await untilChunksCome();
  expect((await outcomeOf(page, players[0])).sessions).toEqual(sessions);
}, 120_000);

it('plays on when the server is restarted, first over HTTP and then over a session again', async () => {
  const { url, quicPort } = server.ready;
  const { sessions } = await outcomeOf(page, players[0]);
  await server.stop();
  const ports = ['--http-port', new URL(url).port, '--quic-port', String(quicPort)];
  server = await servePlayerPage(stage.folder, liveFolder(stage.folder), ...ports);
  await expectToPlayOn();
  await page.waitForFunction(
    (player, before) => window.players[player!]!.sessions.slice(before).some(({ state }) => state === 'opened'),
    { timeout: 60_000, polling: 50 },
    players[0],
    sessions.length,
  );
  await untilChunksCome();
  expect((await outcomeOf(page, players[0])).fallbacks.length).toBeGreaterThan(0);
}, 120_000);

// Longer than `playUntil` waits, which says where playback stands: where it stood once, the test ended before.
it('plays the stream to its end when the encoder ends it', { timeout: 180_000 }, async () => {
  const plain = await startLivePlayer(page, 'plain', PATIENT);
  ended = [await startLivePlayer(page, {}, PATIENT), plain];
  await untilChunksCome();
  expect(await live.stop('SIGINT')).toEqual([0, null]);
  await Promise.all([playUntil(page, Infinity, ended[0]), untilAllIsThere(plain)]);
  for (const player of ended) expect((await outcomeOf(page, player)).errors).toEqual([]);
  expect((await outcomeOf(page, ended[0])).ended).toBe(true);
});

/**
 * dash.js alone plays the last half second again and again where something was being appended at the moment when it would have told the browser
 * of the end, which it tries once (`standing-buffer.ts`): all of the stream must be there, and played up to that.
 */
async function untilAllIsThere(player: number): Promise<void> {
  await page.waitForFunction(
    (player) => {
      const { buffered, currentTime, duration } = window.players[player]!.video;
      return buffered.length > 0 && buffered.end(buffered.length - 1) > duration - 0.1 && currentTime > duration - 1;
    },
    { timeout: 120_000, polling: 50 },
    player,
  );
}

it.each(['another player', 'the one that played it live'])(
  '%s plays the ended stream on demand, from its start and over a session',
  async (who) => {
    const isOther = who === 'another player';
    const player = isOther ? await startPlayer(page) : ended[0]!;
    const before = (await outcomeOf(page, player)).fallbacks.length;
    if (!isOther)
      await page.evaluate((player) => {
        window.players[player]!.ended = false;
        window.players[player]!.player.attachSource('/media/manifest.mpd', 0);
      }, player);
    await page.waitForFunction((player) => window.players[player]!.video.currentTime < 3, { polling: 50 }, player);
    await playUntil(page, 3, player);
    const { errors, fallbacks, statistics } = await outcomeOf(page, player);
    expect(errors).toEqual([]);
    expect(fallbacksOnceReady({ fallbacks: fallbacks.slice(before) })).toEqual([]);
    expect(statistics!.segments.some(({ delivery }) => delivery === 'datagrams')).toBe(true);
  },
  120_000,
);
