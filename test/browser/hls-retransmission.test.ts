import { describe, expect, it } from 'vitest';
import { startRelay } from '../../tools/start/relay.mjs';
import { watchAppends } from './support/appends.js';
import { prepareClip } from './support/clip.js';
import { errorsOfHls, outcomeOfHls, playHlsToEnd, playHlsUntil, serveHlsPage, startHls } from './support/hls-page.js';
import { openPage } from './support/player-page.js';
import { openForEach, playerStage } from './support/player-stage.js';

const clip = { seconds: 20, segmentSeconds: 2 };

const stage = playerStage(async (folder) => serveHlsPage(folder, await prepareClip(folder, clip)));

openForEach(() => openPage(stage.browser, stage.server.ready.url));

declare global {
  interface Window {
    appends: Uint8Array[];
    /** What was delivered a second time, better. */
    improved: Uint8Array[];
  }
}

/** Behind a relay that loses 10 % of the packets; the rule leaves out half of what may be missing. */
async function startLossy(page: Parameters<typeof startHls>[0], name: string, refetch: boolean | undefined) {
  const relay = await startRelay({ lossPercent: 10, seed: 3 });
  relay.connect(stage.server.ready.quicPort);
  const { certificateHashes } = stage.server.ready;
  const endpoint = { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes };
  await page.evaluate(watchAppends);
  await page.evaluate(() => {
    window.appends = [];
    window.onAppend = (bytes) => window.appends.push(bytes.slice());
  });
  await startHls(page, { endpoint, abr: 'half', bufferSegments: 2, refetch }, name);
  await page.evaluate(() => {
    window.improved = [];
    window.hlsPlayer.handle!.on('delivered', ({ record, data }) => {
      if (record.bytesRefetched > 0) window.improved.push(data.slice());
    });
  });
  return relay;
}

const refetched = (segments: readonly { readonly bytesRefetched: number }[]): number =>
  segments.reduce((sum, { bytesRefetched }) => sum + bytesRefetched, 0);

describe.each(['hls.js-1.6', 'hls.js'])('%s', (name) => {
  it('fetches in pauses what was left out, and puts it into the buffer before it is played', async ({ page }) => {
    const relay = await startLossy(page, name, undefined);
    // On a busy machine segments come too late while it plays.
    await page.waitForFunction(
      () => {
        const { handle, video } = window.hlsPlayer;
        const isInTime = handle!
          .statistics()
          .segments.some(({ startTime, framesSkipped }) => framesSkipped > 0 && startTime > video.currentTime + 1);
        if (isInTime) video.pause();
        return isInTime;
      },
      { timeout: 60_000, polling: 50 },
    );
    await page.waitForFunction(() => window.improved.length > 0, { timeout: 60_000, polling: 50 });
    await page.evaluate(() => window.hlsPlayer.video.play());
    await playHlsToEnd(page, 6);
    relay.close();
    const outcome = await outcomeOfHls(page);
    expect(errorsOfHls(outcome)).toEqual([]);
    expect(outcome.ended).toBe(true);
    expect(outcome.buffered).toHaveLength(1);
    expect(outcome.buffered[0]![1]).toBeGreaterThan(clip.seconds - 0.1);
    expect(refetched(outcome.statistics!.segments)).toBeGreaterThan(0);
    const [improved, appended] = await page.evaluate(() => {
      /** Between its initialization segments. */
      const holds = (append: Uint8Array, data: Uint8Array): boolean => {
        for (let at = 0; at + data.length <= append.length;) {
          if (data.every((byte, index) => append[at + index] === byte)) return true;
          at += new DataView(append.buffer, append.byteOffset).getUint32(at);
        }
        return false;
      };
      const { improved, appends } = window;
      return [improved.length, improved.filter((data) => appends.some((append) => holds(append, data))).length];
    });
    expect(improved).toBeGreaterThan(0);
    expect(appended).toBe(improved);
  });
});

it.each([
  ['hls.js 1.5, which changes times on their way', 'hls.js-1.5', undefined],
  ['a page that does not want it', 'hls.js', false],
])('fetches nothing again for %s', async (_, name, refetch) => {
  const page = await openPage(stage.browser, stage.server.ready.url);
  const relay = await startLossy(page, name, refetch);
  await playHlsUntil(page, 10);
  relay.close();
  const outcome = await outcomeOfHls(page);
  expect(errorsOfHls(outcome)).toEqual([]);
  expect(outcome.statistics!.segments.some(({ framesSkipped }) => framesSkipped > 0)).toBe(true);
  expect(refetched(outcome.statistics!.segments)).toBe(0);
  await page.close();
});
