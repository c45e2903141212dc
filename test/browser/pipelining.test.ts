import type { Page } from 'puppeteer-core';
import { beforeEach, expect, it } from 'vitest';
import { prepareClip } from './support/clip.js';
import { startFaultRelay, type Fault } from './support/fault-relay.js';
import { fallbacksOnceReady, openPage, outcomeOf, servePlayerPage, startPlayer } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const clip = { seconds: 40, segmentSeconds: 1 };
const ROUND_TRIP_MS = 150;
const BITS_PER_MS = 700;
const LONGEST_QUEUE_MS = 400;

let page: Page;

const stage = playerStage((folder) => servePlayerPage(folder, prepareClip(folder, clip)));

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
  await page.waitForFunction(() => window.players[0]!.handle!.statistics().segments.length >= 38, { timeout: 60_000 });
  const outcome = await outcomeOf(page);
  relay.close();
  expect(outcome.errors).toEqual([]);
  expect(fallbacksOnceReady(outcome)).toEqual([]);
  const overSession = outcome.statistics!.segments.filter(({ delivery }) => delivery !== 'http');
  // The first of a session has none before it.
  const early = overSession.slice(1).filter((segment) => segment.early);
  console.log(
    `${early.length} of ${overSession.length} segments early; the link idle for ${Math.round(link.idle())} ms`,
  );
  expect(early.length).toBeGreaterThan(0.8 * (overSession.length - 1));
  expect(new Set(outcome.statistics!.segments.map(({ index }) => index)).size).toBe(
    outcome.statistics!.segments.length,
  );
}, 120_000);
