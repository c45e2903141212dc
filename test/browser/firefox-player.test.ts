import puppeteer, { type Page } from 'puppeteer-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { findFirefox } from '../../tools/setup/firefox.mjs';
import { startRelay } from '../../tools/start/relay.mjs';
import { prepareClip } from './support/clip.js';
import {
  openPage,
  outcomeOf,
  pauseUntilRefetched,
  playedIndices,
  playToEnd,
  playUntil,
  servePlayerPage,
  startPlayer,
} from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const clip = { seconds: 10, segmentSeconds: 2 };
const SEGMENTS = clip.seconds / clip.segmentSeconds;

const firefox = findFirefox();
if (!firefox) console.warn('left out: Firefox is not installed (packages firefox-esr and, for H.264, ffmpeg)');

describe.skipIf(!firefox)('Firefox', () => {
  let page: Page;

  const stage = playerStage(
    async (folder) => servePlayerPage(folder, await prepareClip(folder, clip)),
    () =>
      puppeteer.launch({
        browser: 'firefox',
        executablePath: firefox,
        headless: true,
        extraPrefsFirefox: { 'media.autoplay.default': 0 },
      }),
  );

  beforeEach(async (context) => {
    page = await openPage(stage.browser, stage.server.ready.url);
    const decodes = await page.evaluate(() => MediaSource.isTypeSupported('video/mp4; codecs="avc1.64001f"'));
    if (!decodes) context.skip('this Firefox finds no libavcodec to decode H.264 with');
    return () => page.close();
  });

  it('plays to the end over datagrams', async () => {
    await startPlayer(page, { delivery: 'datagrams', bufferSegments: 1 });
    await playToEnd(page, { seconds: 6 });
    const { statistics, ...outcome } = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true });
    expect(outcome.buffered).toHaveLength(1);
    expect(playedIndices({ ...outcome, statistics })).toEqual([...Array(SEGMENTS).keys()]);
    const overDatagrams = statistics!.segments.filter(({ delivery }) => delivery === 'datagrams');
    expect(overDatagrams.length).toBeGreaterThanOrEqual(SEGMENTS - 1);
  });

  it('recovers what a lossy network loses, and fetches later what was left out', async () => {
    const relay = await startRelay({ lossPercent: 10, seed: 7 });
    relay.connect(stage.server.ready.quicPort);
    const url = `https://127.0.0.1:${relay.port}/voxel`;
    const endpoint = { url, certificateHashes: stage.server.ready.certificateHashes };
    await startPlayer(page, { endpoint, abr: 'half', bufferSegments: 2 });
    await pauseUntilRefetched(page);
    await playToEnd(page);
    relay.close();
    const { statistics, ...outcome } = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true });
    expect(outcome.buffered).toHaveLength(1);
    expect(statistics!.segments.some(({ bytesRecovered }) => bytesRecovered > 0)).toBe(true);
    expect(statistics!.segments.some(({ bytesRefetched }) => bytesRefetched > 0)).toBe(true);
  });

  it('goes on after seeks forth and back', async () => {
    await startPlayer(page, { bufferSegments: 1 });
    await playUntil(page, 1);
    await page.evaluate(() => window.players[0]!.player.seek(7));
    await playUntil(page, 7.5);
    await page.evaluate(() => window.players[0]!.player.seek(1));
    await page.waitForFunction(() => window.players[0]!.video.currentTime < 7);
    await playToEnd(page);
    expect(await outcomeOf(page)).toMatchObject({ errors: [], ended: true });
  });
});
