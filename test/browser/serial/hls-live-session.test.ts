import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, expect, it, test } from 'vitest';
import { HANDSHAKE_PACKETS, startRelay } from '../../../tools/start/relay.mjs';
import { errorsOfHls, outcomeOfHls, playHlsUntil, serveHlsPage, startHls } from '../support/hls-page.js';
import { liveFolder, startLive, untilThere, type LiveStream } from '../support/live-stream.js';
import { openPage } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';
import { strictDecode } from '../support/strict-decode.js';

/** Share of the server's packets that are lost. There is no delay on the way, so much of it comes in time when it is asked for again … */
const LOSS_PERCENT = 30;

/** … and with so little latency some of it does not. */
const LATENCY = '0.5';

/** Seconds that each player plays. */
const PLAYED = 8;

/** Milliseconds that the server stands still. */
const AWAY = 8000;

let live: LiveStream;
let page: Page;

const stage = playerStage(async (folder) => {
  live = await startLive(folder, '--latency', LATENCY);
  await untilThere(join(liveFolder(folder), 'master.m3u8'));
  // hls.js plays from near the end on where there is something before it: from the start it has so much that nothing comes too late.
  await live.until(8);
  return serveHlsPage(folder, liveFolder(folder));
});

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  const failures: unknown[] = [];
  page.on('pageerror', (error) => failures.push(error));
  return async () => {
    await page.close();
    expect(failures).toEqual([]);
  };
});

afterAll(() => live.stop('SIGKILL'));

/** A relay to the server, and how a player finds it. */
async function relayTo(lossPercent: number) {
  const relay = await startRelay({ lossPercent, seed: 1, spared: HANDSHAKE_PACKETS });
  relay.connect(stage.server.ready.quicPort);
  const { certificateHashes } = stage.server.ready;
  return { relay, endpoint: { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes } };
}

/** Waits until so many chunks have come over a session, more than now. */
async function untilChunksCome(count: number): Promise<void> {
  await page.waitForFunction(
    (wanted) =>
      window.hlsPlayer.chunks.length >= wanted || window.hlsPlayer.errors.some((one) => one.includes('(fatal)')),
    { timeout: 60_000, polling: 50 },
    count + (await page.evaluate(() => window.hlsPlayer.chunks.length)),
  );
}

/**
 * Waits until frames of a picture's chunk have been repaired; says where playback is if there is none. It goes to the end of what has come meanwhile: from
 * further back all that is lost comes in time when it is asked for again.
 */
async function untilRepaired(): Promise<void> {
  const isRepaired = () =>
    window.hlsPlayer.chunks.some(({ mediaType, framesRepaired }) => mediaType === 'video' && framesRepaired > 0);
  const goOn = () => {
    const { video } = window.hlsPlayer;
    const { buffered } = video;
    if (buffered.length > 0) video.currentTime = Math.max(video.currentTime, buffered.end(buffered.length - 1) - 0.2);
  };
  const goingOn = setInterval(() => void page.evaluate(goOn).catch(() => undefined), 3000);
  try {
    await page.waitForFunction(isRepaired, { timeout: 60_000, polling: 50 });
  } catch (cause) {
    const seen = await page.evaluate(() => {
      const { chunks, video, hls, handle, errors, fallbacks } = window.hlsPlayer;
      const { currentTime, paused, readyState, buffered, playbackRate } = video;
      const ends = Array.from({ length: buffered.length }, (_, at) => [buffered.start(at), buffered.end(at)]);
      const last = chunks.slice(-6).map((chunk) => ({ ...chunk, data: chunk.data.length }));
      const { latency, targetLatency } = hls;
      return {
        ...{ currentTime, paused, readyState, playbackRate, ends, latency, targetLatency, errors, fallbacks },
        ...{ chunks: chunks.length, last, live: handle?.statistics().live },
      };
    });
    throw new Error(`nothing is repaired: ${JSON.stringify(seen)}`, { cause });
  } finally {
    clearInterval(goingOn);
  }
}

/** Segments of video as hls.js was given their chunks, as far as these follow each other from the first one on. */
async function handedOver(): Promise<{ readonly representation: string; readonly media: Buffer }[]> {
  const chunks = await page.evaluate(() =>
    window.hlsPlayer.chunks
      .filter(({ mediaType }) => mediaType === 'video')
      .map(({ representation, index, number, data }) => {
        let text = '';
        for (const byte of data) text += String.fromCharCode(byte);
        return { key: `${representation}/${index}`, representation, number, data: btoa(text) };
      }),
  );
  const segments = new Map<string, { representation: string; pieces: Buffer[] }>();
  for (const { key, representation, number, data } of chunks) {
    if (!segments.has(key)) segments.set(key, { representation, pieces: [] });
    const { pieces } = segments.get(key)!;
    if (number === pieces.length) pieces.push(Buffer.from(data, 'base64'));
  }
  return [...segments.values()]
    .filter(({ pieces }) => pieces.length > 0)
    .map(({ representation, pieces }) => ({ representation, media: Buffer.concat(pieces) }));
}

async function playOn(seconds: number): Promise<void> {
  const { currentTime } = await outcomeOfHls(page);
  await playHlsUntil(page, currentTime + seconds);
}

const isFatal = (error: string): boolean => error.includes('(fatal)');

test.each(['hls.js-1.6', 'hls.js'])(
  '%s plays a live stream over a lossy link by parts that are datagrams, with gaps repaired for the strictest of decoders',
  async (name) => {
    const { relay, endpoint } = await relayTo(LOSS_PERCENT);
    // By default hls.js stays a second further back after a stall.
    await startHls(page, { endpoint }, name, { liveSyncOnStallIncrease: 0 });
    await playHlsUntil(page, 0.1);
    await untilChunksCome(1);
    await playOn(PLAYED);
    await untilRepaired();
    const { errors, decodedAudioBytes } = await outcomeOfHls(page);
    const segments = await handedOver();
    relay.close();
    expect(errors.filter(isFatal)).toEqual([]);
    expect(decodedAudioBytes).toBeGreaterThan(0);
    const seen = await page.evaluate(() => {
      const { chunks, handle } = window.hlsPlayer;
      const [audio, video] = ['audio', 'video'].map((type) => chunks.filter(({ mediaType }) => mediaType === type));
      const unreliable = video!.filter(({ bytesUnreliable }) => bytesUnreliable > 0).length;
      const repaired = chunks.filter(({ framesRepaired }) => framesRepaired > 0).length;
      return { audio: audio!.length, unreliable, repaired, all: chunks.length, live: handle!.statistics().live };
    });
    expect([seen.audio > 0, seen.unreliable > 0]).toEqual([true, true]);
    expect(seen.live).toMatchObject({ chunks: seen.all, chunksRepaired: seen.repaired });
    expect(segments.length).toBeGreaterThan(0);
    for (const { representation, media } of segments) {
      const init = readFileSync(join(liveFolder(stage.folder), representation, 'init.mp4'));
      expect(() => strictDecode(init, media)).not.toThrow();
    }
  },
  120_000,
);

it('plays on over HTTP when the way to the session is cut, and says so', async () => {
  const { relay, endpoint } = await relayTo(0);
  await startHls(page, { endpoint });
  await playHlsUntil(page, 0.1);
  await untilChunksCome(10);
  const { fallbacks } = await outcomeOfHls(page);
  relay.close();
  await page.waitForFunction((before) => window.hlsPlayer.fallbacks.length > before, { polling: 50 }, fallbacks.length);
  await playOn(PLAYED);
  const outcome = await outcomeOfHls(page);
  expect(outcome.errors.filter(isFatal)).toEqual([]);
  expect(outcome.fallbacks.at(-1)).toMatchObject({ to: 'http' });
  expect(outcome.statistics?.delivery).toBe('http');
}, 120_000);

it('goes on where it should be after the server has stood still for seconds', async () => {
  await startHls(page, {});
  await playHlsUntil(page, 0.1);
  await untilChunksCome(6);
  await playOn(3);
  const edge = await page.evaluate(() => {
    const { hls } = window.hlsPlayer;
    // A level whose playlist has not come yet has no edge.
    return Math.max(...hls.levels.map(({ details }) => details?.edge ?? 0));
  });
  process.kill(stage.server.pid, 'SIGSTOP');
  await new Promise((resolve) => setTimeout(resolve, AWAY));
  process.kill(stage.server.pid, 'SIGCONT');
  await page.waitForFunction(
    (before) => {
      const { hls, video, errors } = window.hlsPlayer;
      const hasNews = hls.levels.some(({ details }) => details && details.edge > before);
      const isThere = !video.seeking && video.readyState > 2 && hls.liveSyncPosition! - video.currentTime < 3;
      return errors.some((one) => one.includes('(fatal)')) || (hasNews && isThere);
    },
    { timeout: 60_000, polling: 50 },
    edge + AWAY / 2000,
  );
  await playOn(3);
  const { errors } = await outcomeOfHls(page);
  expect(errors.filter(isFatal)).toEqual([]);
}, 120_000);

it('leaves the stream to hls.js where no session is wanted', async () => {
  await startHls(page, { delivery: 'http' });
  await playHlsUntil(page, 2);
  const outcome = await outcomeOfHls(page);
  expect(errorsOfHls(outcome).filter(isFatal)).toEqual([]);
  expect(outcome.sessions).toEqual([]);
  expect(await page.evaluate(() => window.hlsPlayer.chunks.length)).toBe(0);
  expect(await page.evaluate(() => window.hlsPlayer.handle!.statistics().live)).toBeUndefined();
}, 120_000);

it('plays over HTTP, and says why, where what plays live streams does not load', async () => {
  await page.setRequestInterception(true);
  page.on(
    'request',
    (request) => void (request.url().includes('voxel-hls-live') ? request.abort() : request.continue()),
  );
  await startHls(page, {});
  await playHlsUntil(page, 3);
  const { errors, fallbacks } = await outcomeOfHls(page);
  expect(errors.filter(isFatal)).toEqual([]);
  expect(fallbacks).toMatchObject([{ code: 'unsupported', to: 'http' }]);
  expect(fallbacks[0]!.message).toContain('voxel-hls-live.js');
  expect(await page.evaluate(() => window.hlsPlayer.chunks.length)).toBe(0);
}, 120_000);

it('goes on as plain hls.js when the plugin is detached', async () => {
  await startHls(page, {});
  await playHlsUntil(page, 0.1);
  await untilChunksCome(6);
  await page.evaluate(() => window.hlsPlayer.handle!.detach());
  const before = await page.evaluate(() => window.hlsPlayer.chunks.length);
  await playOn(3);
  const outcome = await outcomeOfHls(page);
  expect(outcome.errors.filter(isFatal)).toEqual([]);
  expect(await page.evaluate(() => window.hlsPlayer.chunks.length)).toBe(before);
}, 120_000);
