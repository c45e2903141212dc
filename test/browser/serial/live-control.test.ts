import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fallbacksOnceReady, openPage, outcomeOf, servePlayerPage, type Outcome } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';
import { liveFolder, PATIENT, playOn, startLive, startLivePlayer, type LiveStream } from '../support/live-stream.js';

declare global {
  interface Window {
    /** By `keepPlaces`. */
    places: number[];
  }
}

/** Seconds behind the capture within which a player is at the edge. */
const AT_EDGE = 2.5;

/** Seconds within which a place is the one that was asked for. */
const NEAR = 3;

let page: Page;
let live: LiveStream;
let opened: Outcome['sessions'];

const stage = playerStage(async (folder) => {
  live = await startLive(folder);
  // There is a past to go back to.
  await live.until(6);
  return servePlayerPage(folder, liveFolder(folder));
});

/** One player for all tests: what one of them does must not harm the next. */
beforeAll(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  await startLivePlayer(page, {}, PATIENT);
  await page.waitForFunction(() => window.chunks.length > 0);
  opened = (await outcomeOf(page)).sessions;
}, 60_000);

afterAll(async () => {
  await page.close();
  await live.stop('SIGKILL');
});

/** Waits until playback is between `from` and `to` seconds behind the capture. */
async function untilLatency(from: number, to = Infinity): Promise<void> {
  await page.waitForFunction(
    (from, to) => {
      const latency = window.players[0]!.player.getCurrentLiveLatency();
      return latency >= from && latency <= (to ?? Infinity);
    },
    { timeout: 60_000, polling: 50 },
    from,
    Number.isFinite(to) ? to : null,
  );
}

/** Plays on, and expects that it is with chunks of the session that opened in the beginning. */
async function expectToPlayOn(): Promise<void> {
  const before = await page.evaluate(() => window.chunks.length);
  await playOn(page, 2);
  const { errors, sessions, ...outcome } = await outcomeOf(page);
  expect(errors).toEqual([]);
  expect(sessions).toEqual(opened);
  expect(fallbacksOnceReady(outcome)).toEqual([]);
  await page.waitForFunction((before) => window.chunks.length > before, {}, before);
}

async function returnToEdge(): Promise<void> {
  await page.evaluate(() => window.players[0]!.player.seekToOriginalLive());
  await untilLatency(0, AT_EDGE);
}

/** Keeps from now on where playback is whenever it has been put elsewhere, and where it goes on first. */
function keepPlaces(): Promise<void> {
  return page.evaluate(() => {
    const { video } = window.players[0]!;
    const places: number[] = (window.places = []);
    const keep = () => places.push(video.currentTime);
    video.addEventListener('seeked', keep);
    video.addEventListener('playing', keep, { once: true });
  });
}

/** All that were kept are there, or before it. */
async function expectPlacesNear(wanted: number): Promise<void> {
  const places = await page.evaluate(() => window.places);
  expect(places).not.toEqual([]);
  for (const place of places) expect(place).toBeLessThan(wanted + NEAR);
}

const pause = () => page.evaluate(() => window.players[0]!.player.pause());
const goOn = () => page.evaluate(() => window.players[0]!.player.play());

it('seeks back into the window, plays there over the session, and returns to the edge', async () => {
  await playOn(page, 1);
  await keepPlaces();
  await page.evaluate(() => {
    window.chunks.length = 0;
    window.players[0]!.player.seekToPresentationTime(0);
  });
  await page.waitForFunction(() => !window.players[0]!.video.seeking);
  await expectToPlayOn();
  await expectPlacesNear(0);
  const video = await page.evaluate(() => window.chunks.filter(({ mediaType }) => mediaType === 'video'));
  expect(video.some(({ startTime }) => startTime === 0)).toBe(true);
  await returnToEdge();
  await expectToPlayOn();
}, 120_000);

it('plays on where it was paused, and returns to the edge after another pause', async () => {
  await pause();
  const { currentTime } = await outcomeOf(page);
  await keepPlaces();
  await untilLatency(11);
  await goOn();
  await expectToPlayOn();
  // Segments further on are asked for, and playback stays.
  await playOn(page, 5);
  await expectPlacesNear(currentTime);
  await pause();
  await untilLatency(13);
  await goOn();
  await returnToEdge();
  await expectToPlayOn();
}, 120_000);

it('switches representations, and keeps its session when the manifest is updated', async () => {
  const chosen = await page.evaluate(() => {
    const { player } = window.players[0]!;
    const settings: object = { streaming: { abr: { autoSwitchBitrate: { video: false } } } };
    player.updateSettings(settings);
    const current = window.chunks.findLast(({ mediaType }) => mediaType === 'video')!.representation;
    const { id } = player.getRepresentationsByType('video').find(({ id }) => id !== current)!;
    player.setRepresentationForTypeById('video', id);
    return id;
  });
  await page.waitForFunction(
    (id) => window.chunks.findLast(({ mediaType }) => mediaType === 'video')?.representation === id,
    {},
    chosen,
  );
  await page.evaluate(() => {
    const { player } = window.players[0]!;
    const updated = new Promise<void>((resolve) => player.on('manifestUpdated', () => resolve()));
    player.refreshManifest(() => undefined);
    return updated;
  });
  await expectToPlayOn();
}, 120_000);
