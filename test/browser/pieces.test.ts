import type { Page } from 'puppeteer-core';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { prepareClip } from './support/clip.js';
import { startFaultRelay, type FaultRelay } from './support/fault-relay.js';
import { errorsOfHls, outcomeOfHls, playHlsUntil, serveHlsPage, startHls } from './support/hls-page.js';
import { fallbacksOnceReady, openPage, outcomeOf, playUntil, servePlayerPage } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';
import {
  BITS_PER_MS,
  expectOnce,
  linkOf,
  openSlowly,
  PIECES_CLIP,
  placeOf,
  seenBy,
  startInPieces,
  watchPieces,
} from './support/seen-pieces.js';

describe('dash.js', () => {
  let page: Page;
  let relay: FaultRelay;

  const stage = playerStage(async (folder) => servePlayerPage(folder, await prepareClip(folder, PIECES_CLIP)));

  beforeEach(async () => {
    ({ page, relay } = await openSlowly(stage));
    return async () => {
      await page.close();
      relay.close();
    };
  });

  const start = (): Promise<void> => startInPieces(page, stage.server, relay.port);

  it('shows the first segment while it arrives, and appends nothing twice', async () => {
    await start();
    await playUntil(page);
    const seen = await seenBy(page);
    const { errors, ended, buffered, ...outcome } = await outcomeOf(page);
    expect([errors, fallbacksOnceReady(outcome), ended]).toEqual([[], [], true]);
    expect(buffered).toHaveLength(1);
    expectOnce(seen);
    expect(placeOf(seen, 'picture')).toBeLessThan(placeOf(seen, 'delivered', 0));
    expect(placeOf(seen, 'picture')).toBeGreaterThan(-1);
    expect(seen.slice(0, placeOf(seen, 'delivered', 0)).filter(({ kind }) => kind === 'append').length).toBeGreaterThan(
      1,
    );
  });

  it('does so where packets are lost, and after a seek into the middle of a segment', async () => {
    relay.fault = linkOf(BITS_PER_MS, 0.02);
    await start();
    await playUntil(page, 0.5);
    await page.evaluate(() => {
      const { player, video } = window.players[0]!;
      window.seen = [];
      player.seek(9.5);
      video.requestVideoFrameCallback(() => window.seen.push({ kind: 'picture', at: 0 }));
    });
    await playUntil(page);
    const seen = await seenBy(page);
    const { errors, ended } = await outcomeOf(page);
    expect([errors, ended]).toEqual([[], true]);
    expectOnce(seen);
    expect(placeOf(seen, 'picture')).toBeLessThan(placeOf(seen, 'delivered', 2));
  });
});

describe('hls.js 1.7', () => {
  const stage = playerStage(async (folder) => serveHlsPage(folder, await prepareClip(folder, PIECES_CLIP)));

  it('appends nothing twice of segments that come in pieces', async () => {
    const relay = await startFaultRelay(stage.server.ready.quicPort);
    relay.fault = linkOf(BITS_PER_MS);
    const page = await openPage(stage.browser, 'about:blank');
    onTestFinished(async () => {
      relay.close();
      await page.close();
    });
    await watchPieces(page);
    await page.goto(stage.server.ready.url);
    const { certificateHashes } = stage.server.ready;
    const endpoint = { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes };
    await startHls(page, { endpoint }, 'hls.js', { progressive: true });
    await page.evaluate(() =>
      window.hlsPlayer.handle!.on('delivered', ({ record }) =>
        window.seen.push({ kind: 'delivered', at: record.index }),
      ),
    );
    await playHlsUntil(page);
    const seen = await seenBy(page);
    const outcome = await outcomeOfHls(page);
    expect([errorsOfHls(outcome), outcome.ended]).toEqual([[], true]);
    expect(outcome.buffered).toHaveLength(1);
    expectOnce(seen);
  });
});
