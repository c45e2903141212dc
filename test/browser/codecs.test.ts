import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import { findFirefox } from '../../tools/setup/firefox.mjs';
import { startRelay } from '../../tools/start/relay.mjs';
import { prepareClip } from './support/clip.js';
import { copyLadder, LADDER_KEY, makeProtectedLadders } from './support/ladder.js';
import { openPage, outcomeOf, playedIndices, playUntil, servePlayerPage, startPlayer } from './support/player-page.js';
import { playerStage, type PlayerStage } from './support/player-stage.js';

/** A minute with `VOXEL_LONG=1`, outside `npm test`. */
const SECONDS = process.env.VOXEL_LONG ? 60 : 6;
const clip = { seconds: SECONDS, segmentSeconds: 2, representations: '144p' };

/** Ladders that are removed from without their key, by scheme and codec; only with `VOXEL_LONG=1`, in all that can be told. */
const PROTECTED = process.env.VOXEL_LONG
  ? ['cenc', 'cbcs'].flatMap((scheme) => ['h264', 'av1'].map((codec) => ({ scheme, codec })))
  : [];
/** Where such a ladder is, in the stage's folder and on its server. */
const pathOf = (codec: string, scheme: string): string => `${codec}-${scheme}`;
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

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
  describe.skipIf(!isThere)('plays to the end without what is lost or left out, which is removed,', () => {
    const stage = playerStage(async (folder) => {
      const mounts: string[] = [];
      for (const codec of codecs) {
        const media = await prepareClip(join(folder, codec), { ...clip, codec });
        mounts.push('--mount', `/${codec}=${media}`);
      }
      for (const { codec, scheme } of PROTECTED) {
        const ladders = join(folder, pathOf(codec, scheme));
        makeProtectedLadders(ladders, [scheme], codec, SECONDS);
        copyLadder(ladders, join(ladders, scheme, 'stream.mpd'));
        mounts.push('--mount', `/${pathOf(codec, scheme)}=${ladders}`);
      }
      return servePlayerPage(folder, folder, ...mounts);
    }, launch);

    it.each(codecs)('with %s', { timeout: 120_000 }, (codec) => expectToPlay(stage, codec));

    it.each(PROTECTED)('with $codec in $scheme and Clear Key', { timeout: 120_000 }, ({ codec, scheme }) =>
      expectToPlay(stage, pathOf(codec, scheme), { [base64url(LADDER_KEY.id)]: base64url(LADDER_KEY.key) }),
    );
  });
});

/** Plays to the end over a network that loses 5 % of the packets, by a rule that leaves out half of every segment's levels. */
async function expectToPlay(stage: PlayerStage, mount: string, keys?: Readonly<Record<string, string>>): Promise<void> {
  const relay = await startRelay({ lossPercent: 5, seed: 7 });
  relay.connect(stage.server.ready.quicPort);
  const url = `https://127.0.0.1:${relay.port}/voxel`;
  const endpoint = { url, certificateHashes: stage.server.ready.certificateHashes };
  const page = await openPage(stage.browser, stage.server.ready.url);
  const options = { endpoint, abr: 'half', bufferSegments: 1, delivery: 'datagrams', refetch: false } as const;
  await startPlayer(page, options, `/${mount}/manifest.mpd`, {}, keys);
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
}
