import type { Page } from 'puppeteer-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PathReport } from '../../../lab/index.js';
import { startRelay } from '../../../tools/start/relay.mjs';
import { prepareClip } from '../support/clip.js';
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

declare global {
  interface Window {
    /** How often playback has come to a stand since it began. */
    stands: number;
  }
}

/** A machine that is busy with other things may hold playback up on its own. */
const MOST_STANDS = 1;
/** Seconds of video until a server that is back is used again. */
const MOST_UNUSED = 5;

let media: string;
let page: Page;
let second: PlayerServer;
/** Between browser and second server: Chromium 156's network process at times crashes where a port refuses its packets. */
let relay: Awaited<ReturnType<typeof startRelay>>;

const stage = playerStage(async (folder) => {
  media = await prepareClip(folder, { seconds: 40, segmentSeconds: 2 });
  return servePlayerPage(folder, media);
});

beforeEach(async () => {
  second = await servePlayerPage(stage.folder, media);
  relay = await startRelay({ lossPercent: 0, seed: 1 });
  relay.connect(second.ready.quicPort);
  page = await openPage(stage.browser, stage.server.ready.url);
});

afterEach(async () => {
  await page.close();
  relay.close();
  await second.stop();
});

/** Of the second server. */
function secondEndpoint(): string {
  return `https://127.0.0.1:${relay.port}/voxel`;
}

/** What `voxel.json` says names the second server, too, and has the first one cost something. */
async function announcePaths(): Promise<void> {
  const { endpoint, certificateHashes } = stage.server.ready;
  const paths = [
    { endpoint, certificateHashes, cost: 1 },
    { endpoint: secondEndpoint(), certificateHashes: second.ready.certificateHashes },
  ];
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    if (!request.url().endsWith('/.well-known/voxel.json')) return void request.continue();
    const body = JSON.stringify({ endpoint, certificateHashes, paths });
    void request.respond({ status: 200, contentType: 'application/json', body });
  });
}

async function start(): Promise<void> {
  await startPlayer(page, { bufferSegments: 2 });
  await page.evaluate(() => {
    const { video } = window.players[0]!;
    window.stands = 0;
    video.addEventListener('playing', () => (window.stands = 0), { once: true });
    video.addEventListener('waiting', () => (window.stands += 1));
  });
}

function paths(): Promise<readonly PathReport[]> {
  return page.evaluate(() => window.players[0]!.handle!.statistics().paths);
}

/** Waits until that path has brought more than so many bytes. */
async function untilItBrings(index: number, bytes: number): Promise<void> {
  await page.waitForFunction(
    (index, bytes) => (window.players[0]!.handle!.statistics().paths[index]?.bytes ?? 0) > bytes,
    { timeout: 60_000, polling: 50 },
    index,
    bytes,
  );
}

it('goes on over a path that costs while the server of the other one is killed, and uses that again once it is back', async () => {
  await announcePaths();
  await start();
  await playUntil(page, 4);
  await untilItBrings(1, 10_000);

  process.kill(second.pid, 'SIGKILL');
  await second.exited;
  await page.waitForFunction(() => window.players[0]!.paths.some(({ state }) => state === 'failed'), {
    timeout: 60_000,
  });
  const dead = await paths();
  expect(dead).toMatchObject([{ state: 'open' }, { bytes: expect.any(Number) as number }]);
  const diedAt = await page.evaluate(() => window.players[0]!.video.currentTime);
  await untilItBrings(0, 10_000);
  await playUntil(page, diedAt + 5);

  second = await servePlayerPage(stage.folder, media);
  relay.connect(second.ready.quicPort);
  const returnedAt = await page.evaluate(() => window.players[0]!.video.currentTime);
  await untilItBrings(1, dead[1]!.bytes);
  const usedAt = await page.evaluate(() => window.players[0]!.video.currentTime);
  expect(usedAt - returnedAt).toBeLessThanOrEqual(MOST_UNUSED);
  await playUntil(page, usedAt + 4);

  const outcome = await outcomeOf(page);
  const { errors, sessions, statistics, paths: events } = outcome;
  expect(errors).toEqual([]);
  expect(fallbacksOnceReady(outcome)).toEqual([]);
  expect(sessions).toMatchObject([{ state: 'opened' }]);
  const ofSecond = events.filter(({ url }) => url === secondEndpoint()).map(({ state }) => state);
  expect(ofSecond).toEqual(['open', 'failed', 'open']);
  expect(events.filter(({ url }) => url !== secondEndpoint())).toMatchObject([{ state: 'open' }]);
  expect(await page.evaluate(() => window.stands)).toBeLessThanOrEqual(MOST_STANDS);
  // The first one may have come over HTTP, before the session was open.
  expect(statistics!.segments.slice(1).filter(({ delivery }) => delivery === 'http')).toEqual([]);
});

it('uses the paths that the page names, and plays over the second where the first does not answer', async () => {
  const named = [stage.server, second].map(({ ready }) => ({
    url: ready.endpoint,
    certificateHashes: ready.certificateHashes,
  }));
  // Nobody takes its packets.
  const nobody = { ...named[0]!, url: `https://127.0.0.1:${new URL(second.ready.url).port}/voxel` };
  await startPlayer(page, { bufferSegments: 2, paths: [nobody, named[1]!] });
  await playUntil(page, 6);
  await untilItBrings(1, 10_000);
  expect(await paths()).toMatchObject([{ bytes: 0 }, { state: 'open', url: named[1]!.url }]);
  const { errors } = await outcomeOf(page);
  expect(errors).toEqual([]);
});
