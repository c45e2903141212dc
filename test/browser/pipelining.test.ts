import type { Page } from 'puppeteer-core';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { prepareClip } from './support/clip.js';
import { blackHole, startFaultRelay, type Fault } from './support/fault-relay.js';
import { startHttpRelay, type HttpRelay } from './support/http-relay.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playUntil,
  servePlayerPage,
  startPlayer,
} from './support/player-page.js';
import { playerStage } from './support/player-stage.js';
import { serverCounters } from './support/server-counters.js';

const clip = { seconds: 22, segmentSeconds: 1 };
const ROUND_TRIP_MS = 150;
const BITS_PER_MS = 700;
const LONGEST_QUEUE_MS = 400;

let page: Page;

const stage = playerStage(async (folder) => servePlayerPage(folder, await prepareClip(folder, clip)));

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

/** A link of 0.7 Mbit/s, and how long nothing has been on it. */
function createLink(): { readonly fault: Fault; readonly idle: () => number } {
  let free = 0;
  let idle = 0;
  const fault: Fault = (packet, send) => {
    const now = performance.now();
    if (free > 0) idle += Math.max(0, now - free);
    if (free - now > LONGEST_QUEUE_MS) return;
    free = Math.max(free, now) + (packet.length * 8) / BITS_PER_MS;
    setTimeout(() => send(packet), free - now + ROUND_TRIP_MS / 2);
  };
  return { fault, idle: () => idle };
}

it('asks for each segment while the one before is on its way, as long as the buffer fills', async () => {
  const relay = await startFaultRelay(stage.server.ready.quicPort);
  const link = createLink();
  relay.fault = link.fault;
  const endpoint = {
    url: `https://127.0.0.1:${relay.port}/voxel`,
    certificateHashes: stage.server.ready.certificateHashes,
  };
  await startPlayer(page, { bufferSegments: clip.seconds, endpoint });
  await page.waitForFunction(
    (wanted) => window.players[0]!.handle!.statistics().segments.length >= wanted,
    { timeout: 60_000 },
    clip.seconds - 2,
  );
  const outcome = await outcomeOf(page);
  relay.close();
  expect(outcome.errors).toEqual([]);
  expect(fallbacksOnceReady(outcome)).toEqual([]);
  const overSession = outcome.statistics!.segments.filter(({ delivery }) => delivery !== 'http');
  // The first of a session has none before it, and the next two are shown while they arrive: those fill no buffer.
  const filling = overSession.slice(3);
  const early = filling.filter((segment) => segment.early);
  console.log(`${early.length} of ${filling.length} segments early; the link idle for ${Math.round(link.idle())} ms`);
  expect(filling.length).toBeGreaterThan(clip.seconds / 2);
  expect(early.length).toBeGreaterThan(0.8 * filling.length);
  expect(new Set(outcome.statistics!.segments.map(({ index }) => index)).size).toBe(
    outcome.statistics!.segments.length,
  );
}, 120_000);

interface Start {
  /** Settings of dash.js. */
  readonly streaming: object;
  /** Seconds. */
  readonly startTime: number;
  readonly autoPlay: boolean;
}

/** Starts to play. dash.js asks for initialization segments when the session is open, and waits for the answers until `release`. */
async function startHeld({ streaming, startTime, autoPlay }: Start): Promise<{ release: () => Promise<void> }> {
  await startPlayer(page, { bufferSegments: 2 }, '', { streaming });
  const gate = await page.evaluateHandle(() => new EventTarget());
  await page.evaluate(
    (manifest, startTime, autoPlay, gate) => {
      const { player, handle } = window.players[0]!;
      const opened = new Promise<void>((resolve) => {
        handle!.on('session', ({ state }) => state === 'opened' && resolve());
      });
      const released = new Promise((resolve) => gate.addEventListener('release', resolve));
      type Typed = { readonly customData: { readonly request: { readonly type: string } } };
      const isInitialization = ({ customData }: Typed): boolean => customData.request.type === 'InitializationSegment';
      player.addRequestInterceptor((async (request: Typed) => {
        if (isInitialization(request)) await opened;
        return request;
      }) as never);
      player.addResponseInterceptor((async (response: { readonly request: Typed }) => {
        if (isInitialization(response.request)) await released;
        return response;
      }) as never);
      player.setAutoPlay(autoPlay);
      player.attachSource(manifest, startTime);
    },
    '/media/manifest.mpd',
    startTime,
    autoPlay,
    gate,
  );
  return { release: () => gate.evaluate((target) => void target.dispatchEvent(new Event('release'))) };
}

const pinned = { abr: { autoSwitchBitrate: { video: false }, initialBitrate: { video: 1 } } };

it.each([
  ['by itself', { streaming: {}, startTime: 0, autoPlay: true }],
  ['at a pinned quality', { streaming: pinned, startTime: 0, autoPlay: true }],
  ['on demand', { streaming: {}, startTime: 0, autoPlay: false }],
])('asks for the first segment before dash.js can, when playback begins %s', async (_, start) => {
  const { ready } = stage.server;
  const before = await serverCounters(ready, 'voxel_requests_total');
  const { release } = await startHeld(start);
  await expect.poll(() => serverCounters(ready, 'voxel_requests_total'), { timeout: 20_000 }).not.toBe(before);
  await release();
  if (!start.autoPlay) await page.evaluate(() => window.players[0]!.player.play());
  await playUntil(page, 1);
  const { errors, fallbacks, statistics, decodedAudioBytes } = await outcomeOf(page);
  expect([errors, fallbacks]).toEqual([[], []]);
  const first = statistics!.segments.filter(({ index }) => index === 0);
  expect(first.map(({ early }) => early)).toEqual([true]);
  expect(decodedAudioBytes).toBeGreaterThan(0);
});

it('leaves the first segment to dash.js when playback begins elsewhere', async () => {
  const { release } = await startHeld({ streaming: {}, startTime: 8.5, autoPlay: true });
  await release();
  await playUntil(page, 10);
  const { errors, statistics } = await outcomeOf(page);
  expect(errors).toEqual([]);
  const [first, ...others] = statistics!.segments;
  expect(first).toMatchObject({ index: 8, early: false });
  expect(others.every(({ index }) => index > 8)).toBe(true);
});

const isVideo = (path: string): boolean => /\/q\d+[^/]*\.mp4$/.test(path);

/** Plays a page behind `http` while nobody answers its session. The function returned says what was asked for of its video files. */
async function startBeforeSession(http: HttpRelay): Promise<() => string[]> {
  const silent = await startFaultRelay(stage.server.ready.quicPort);
  silent.fault = blackHole;
  await page.goto(http.url);
  const { certificateHashes } = stage.server.ready;
  await startPlayer(page, {
    bufferSegments: 2,
    endpoint: { url: `https://127.0.0.1:${silent.port}/voxel`, certificateHashes },
  });
  onTestFinished(() => silent.close());
  return () => http.asked.filter(({ path }) => isVideo(path)).map(({ path, range }) => `${path} ${range}`);
}

/** Waits until playback has begun and its first segment is recorded, which may come later. */
async function untilFirstRecorded(): Promise<void> {
  await playUntil(page, 0.5);
  await page.waitForFunction(() => window.players[0]!.handle!.statistics().segments.length > 0, { timeout: 60_000 });
}

it('asks for the first segment beside its initialization segment, over HTTP, while the session is being opened', async () => {
  const http = await startHttpRelay(stage.server.ready.url);
  onTestFinished(() => http.close());
  const asked = await startBeforeSession(http);
  await untilFirstRecorded();
  const { errors, statistics } = await outcomeOf(page);
  expect(errors).toEqual([]);
  const [first] = statistics!.segments;
  expect(first).toMatchObject({ index: 0, early: true, delivery: 'http', framesSkipped: 0, framesRepaired: 0 });
  // They may come by connections of their own, and so in any order.
  const pair = asked().slice(0, 2);
  expect(pair.filter((one) => / bytes=0-/.test(one))).toHaveLength(1);
  for (const one of pair) expect(asked().filter((other) => other === one)).toHaveLength(1);
});

it('has dash.js ask for the first segment itself where that was refused', async () => {
  const http = await startHttpRelay(stage.server.ready.url);
  onTestFinished(() => http.close());
  let refused: string | undefined;
  http.fails = (path, range) => {
    if (refused !== undefined || !isVideo(path) || range?.startsWith('bytes=0-')) return false;
    refused = `${path} ${range}`;
    return true;
  };
  const asked = await startBeforeSession(http);
  await untilFirstRecorded();
  const { errors, statistics } = await outcomeOf(page);
  expect(errors).toEqual([]);
  expect(statistics!.segments[0]).toMatchObject({ index: 0, delivery: 'http' });
  expect(asked().filter((one) => one === refused)).toHaveLength(2);
});
