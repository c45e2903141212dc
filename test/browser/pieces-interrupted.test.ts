import { setTimeout as sleep } from 'node:timers/promises';
import type { MediaPlayerClass } from 'dashjs';
import type { Page } from 'puppeteer-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DashPlayer } from '../../player/index.js';
import { prepareClip } from './support/clip.js';
import type { FaultRelay } from './support/fault-relay.js';
import { errorsOfHls, outcomeOfHls, playHlsUntil, serveHlsPage, startHls } from './support/hls-page.js';
import { fallbacksOnceReady, outcomeOf, playToEnd, playUntil, servePlayerPage } from './support/player-page.js';
import { expectNoOrphanRequest } from './support/server-counters.js';
import { playerStage, type PlayerStage } from './support/player-stage.js';
import {
  expectOnce,
  openSlowly,
  PIECES_CLIP,
  placeOf,
  seeAnew,
  seenBy,
  startInPieces,
  untilSeen,
} from './support/seen-pieces.js';

let page: Page;
let relay: FaultRelay;

/** For each test of a block a page that is watched, and a slow link. */
function slowly(stage: PlayerStage): void {
  beforeEach(async () => {
    ({ page, relay } = await openSlowly(stage));
    return async () => {
      await page.close();
      relay.close();
    };
  });
}

/** Jumps into the last segment, of which a picture is shown: it alone is delivered, with no piece twice. */
async function expectJumpToLast(page: Page): Promise<void> {
  await seeAnew(page, 9.2);
  await untilSeen(page, 'delivered');
  const seen = await seenBy(page);
  expect(seen.filter(({ kind }) => kind === 'delivered')).toEqual([{ kind: 'delivered', at: 2 }]);
  expect(placeOf(seen, 'picture')).toBeGreaterThan(-1);
  expectOnce(seen);
}

describe('dash.js', () => {
  const stage = playerStage(async (folder) => servePlayerPage(folder, await prepareClip(folder, PIECES_CLIP)));
  slowly(stage);

  it('has one download left of ten jumps in a second', async () => {
    await startInPieces(page, stage.server, relay.port, 'dashjs');
    await playUntil(page, 0.5);
    for (const time of [9, 5, 10, 1, 6, 11, 2, 8.5, 4.5]) {
      await seeAnew(page, time);
      await sleep(100);
    }
    // None of the others takes of the link, which brings one at a time.
    await expectJumpToLast(page);
    expect((await outcomeOf(page)).errors).toEqual([]);
  });

  it('leaves a start in pieces for the place of a jump, and nothing of it behind', async () => {
    await startInPieces(page, stage.server, relay.port, 'dashjs');
    await untilSeen(page, 'append', 2);
    await expectJumpToLast(page);
    await expectNoOrphanRequest(page, stage.server.ready);
    expect((await outcomeOf(page)).errors).toEqual([]);
  });

  it('goes on without the plugin where that is detached in the middle of a segment, and has the rest of it once', async () => {
    await startInPieces(page, stage.server, relay.port, 'dashjs');
    await untilSeen(page, 'append', 2);
    await page.evaluate(() => window.players[0]!.handle!.detach());
    await playToEnd(page, { seconds: 0.5 });
    const seen = await seenBy(page);
    const { errors, ended, buffered } = await outcomeOf(page);
    expect([errors, ended, buffered.length]).toEqual([[], true, 1]);
    expectOnce(seen);
  });
});

describe('dash.js with two qualities', () => {
  const clip = { seconds: 10, segmentSeconds: 2 };
  const stage = playerStage(async (folder) => servePlayerPage(folder, await prepareClip(folder, clip)));
  slowly(stage);

  it('has no piece of a segment twice where the quality is changed in the middle of one', async () => {
    await startInPieces(page, stage.server, relay.port, 'dashjs');
    await untilSeen(page, 'append', 2);
    for (const [pieces, quality] of [
      [1, 1],
      [2, 0],
    ] as const) {
      await page.evaluate((quality) => {
        const player = window.players[0]!.player as DashPlayer & MediaPlayerClass;
        player.updateSettings({ streaming: { abr: { autoSwitchBitrate: { video: false } } } });
        window.seen = [];
        player.setRepresentationForTypeByIndex('video', quality, true);
      }, quality);
      await untilSeen(page, 'append', pieces);
    }
    await playToEnd(page, { seconds: 0.5 });
    const { errors, ended, buffered, statistics, ...outcome } = await outcomeOf(page);
    expect([errors, fallbacksOnceReady(outcome), ended, buffered.length]).toEqual([[], [], true, 1]);
    const [qualities, times] = [2, (await seenBy(page)).filter(({ kind }) => kind === 'append').map(({ at }) => at)];
    for (const time of times) expect(times.filter((other) => other === time).length).toBeLessThanOrEqual(qualities);
    expect(statistics!.segments.at(-1)!.index).toBe(4);
    await expectNoOrphanRequest(page, stage.server.ready);
  });
});

describe('hls.js 1.7', () => {
  const stage = playerStage(async (folder) => serveHlsPage(folder, await prepareClip(folder, PIECES_CLIP)));
  slowly(stage);

  it('shows the place of a jump before its segment is complete, and appends nothing twice', async () => {
    const { certificateHashes } = stage.server.ready;
    const endpoint = { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes };
    await startHls(page, { endpoint, bufferSegments: 1 }, 'hls.js', { progressive: true, autoStartLoad: false });
    // Else segments come over HTTP until the session is open, past the slow link.
    await page.waitForFunction(() => window.hlsPlayer.sessions.some(({ state }) => state === 'opened'), {
      timeout: 60_000,
      polling: 50,
    });
    await page.evaluate(() => window.hlsPlayer.hls.startLoad());
    await playHlsUntil(page, 0.5);
    await page.evaluate(() =>
      window.hlsPlayer.handle!.on('delivered', ({ record }) =>
        window.seen.push({ kind: 'delivered', at: record.index }),
      ),
    );
    for (const [time, index] of [
      [9.5, 2],
      [5, 1],
    ] as const) {
      await seeAnew(page, time);
      await untilSeen(page, 'delivered');
      const seen = await seenBy(page);
      expect(placeOf(seen, 'picture')).toBeGreaterThan(-1);
      expect(placeOf(seen, 'picture')).toBeLessThan(placeOf(seen, 'delivered', index));
      expectOnce(seen);
    }
    expect(errorsOfHls(await outcomeOfHls(page))).toEqual([]);
  });
});
