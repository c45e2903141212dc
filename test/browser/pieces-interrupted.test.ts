import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'puppeteer-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { prepareClip } from './support/clip.js';
import type { FaultRelay } from './support/fault-relay.js';
import { errorsOfHls, outcomeOfHls, playHlsUntil, serveHlsPage, startHls } from './support/hls-page.js';
import { outcomeOf, playToEnd, playUntil, servePlayerPage } from './support/player-page.js';
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
    await seeAnew(page, 9.2);
    await untilSeen(page, 'delivered');
    const seen = await seenBy(page);
    // None of the others takes of the link, which brings one at a time.
    expect(seen.filter(({ kind }) => kind === 'delivered')).toEqual([{ kind: 'delivered', at: 2 }]);
    expect(placeOf(seen, 'picture')).toBeGreaterThan(-1);
    expectOnce(seen);
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

describe('hls.js 1.7', () => {
  const stage = playerStage(async (folder) => serveHlsPage(folder, await prepareClip(folder, PIECES_CLIP)));
  slowly(stage);

  it('shows the place of a jump before its segment is complete, and appends nothing twice', async () => {
    const { certificateHashes } = stage.server.ready;
    const endpoint = { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes };
    await startHls(page, { endpoint, bufferSegments: 1 }, 'hls.js', { progressive: true });
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
