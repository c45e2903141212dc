import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { beforeEach, expect, it } from 'vitest';
import { prepareClip } from './support/clip.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playUntil,
  servePlayerPage,
  startPlayer,
} from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

let page: Page;

const clip = { seconds: 12, segmentSeconds: 6 };

const stage = playerStage(async (folder) => {
  // One segment more than those that are here before the last of eight connections has its turn.
  const media = await prepareClip(folder, { ...clip, seconds: 18 });
  // So little that a busy machine brings many times as much over one connection: of 0.4 Mbit/s it does not always.
  const small = await prepareClip(join(folder, 'small'), { ...clip, representations: '144p:0.05' });
  return servePlayerPage(folder, media, '--mount', `/small=${small}`);
});

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

/** As the server counts them: a browser that pools sessions would have one connection for all. */
async function countConnections(): Promise<number> {
  const counters = await (await fetch(stage.server.ready.metrics!)).text();
  return Number(/^voxel_quic_connections (\d+)/m.exec(counters)![1]);
}

it('chunklets are as many QUIC connections, each of which carries bytes of segments', async () => {
  const before = await countConnections();
  await startPlayer(page, { strategy: 'chunklets', abr: 'tput', bufferSegments: 1 });
  await page.waitForFunction(
    () => {
      const { paths } = window.players[0]!.handle!.statistics();
      return paths.length === 8 && paths.every(({ state, bytes }) => state === 'open' && bytes > 0);
    },
    { timeout: 60_000, polling: 50 },
  );
  expect(await countConnections()).toBe(before + 8);
  await playUntil(page, 6);
  const outcome = await outcomeOf(page);
  expect(outcome.errors).toEqual([]);
  expect(fallbacksOnceReady(outcome)).toEqual([]);
  const { paths, segments } = outcome.statistics!;
  const overSessions = segments.filter(({ delivery }) => delivery !== 'http');
  const bytes = overSessions.reduce((sum, segment) => sum + segment.bytesReliable + segment.bytesUnreliable, 0);
  expect(paths.reduce((sum, path) => sum + path.bytes, 0)).toBeGreaterThanOrEqual(bytes);
}, 120_000);

it('voxel-chunklets keep to one connection where that has the wanted rate', async () => {
  await startPlayer(page, { strategy: 'voxel-chunklets' }, '/small/manifest.mpd');
  await playUntil(page, 8);
  const { errors, statistics } = await outcomeOf(page);
  expect(errors).toEqual([]);
  expect(statistics!.paths.length).toBe(1);
}, 120_000);
