import puppeteer from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { findFirefox } from '../../tools/setup/firefox.mjs';
import { startRelay } from '../../tools/start/relay.mjs';
import { prepareClip } from './support/clip.js';
import { openPage, outcomeOf, playedIndices, playUntil, servePlayerPage, startPlayer } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

/** A minute with `VOXEL_LONG=1`, outside `npm test`. */
const SECONDS = process.env.VOXEL_LONG ? 60 : 6;
const clip = { seconds: SECONDS, segmentSeconds: 2, representations: '144p' };

const firefox = findFirefox();
if (!firefox) console.warn('left out: Firefox is not installed (packages firefox-esr and, for HEVC, ffmpeg)');

const BROWSERS = [
  { name: 'Chromium', isThere: true, launch: undefined, codecs: ['av1', 'vp9'] },
  {
    name: 'Firefox',
    isThere: firefox !== undefined,
    launch: () =>
      puppeteer.launch({
        browser: 'firefox',
        executablePath: firefox!,
        headless: true,
        extraPrefsFirefox: { 'media.autoplay.default': 0 },
      }),
    codecs: ['av1', 'vp9', 'hevc'],
  },
];

describe.each(BROWSERS)('$name', ({ isThere, launch, codecs }) => {
  describe.skipIf(!isThere).each(codecs)('with %s', (codec) => {
    const stage = playerStage(
      async (folder) => servePlayerPage(folder, await prepareClip(folder, { ...clip, codec })),
      launch,
    );

    it('plays to the end without what is lost or left out, which is removed', { timeout: 120_000 }, async () => {
      const relay = await startRelay({ lossPercent: 5, seed: 7 });
      relay.connect(stage.server.ready.quicPort);
      const url = `https://127.0.0.1:${relay.port}/voxel`;
      const endpoint = { url, certificateHashes: stage.server.ready.certificateHashes };
      const page = await openPage(stage.browser, stage.server.ready.url);
      await startPlayer(page, { endpoint, abr: 'half', bufferSegments: 1, delivery: 'datagrams', refetch: false });
      await playUntil(page);
      relay.close();
      const { statistics, ...outcome } = await outcomeOf(page);
      expect(outcome).toMatchObject({ errors: [], ended: true });
      expect(outcome.buffered).toHaveLength(1);
      expect(playedIndices({ ...outcome, statistics })).toEqual([...Array(SECONDS / clip.segmentSeconds).keys()]);
      const removed = statistics!.segments.flatMap((segment) => segment.removed.map((place) => segment.frames[place]));
      expect(removed.length).toBeGreaterThan(0);
      expect(removed).not.toContain('complete');
      await page.close();
    });
  });
});
