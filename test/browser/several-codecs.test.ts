import type { Page } from 'puppeteer-core';
import { afterAll, describe, expect, it } from 'vitest';
import { startRelay } from '../../tools/start/relay.mjs';
import { prepareClip } from './support/clip.js';
import { errorsOfHls, outcomeOfHls, playHlsUntil, serveHlsPage, startHls } from './support/hls-page.js';
import {
  openPage,
  outcomeOf,
  playUntil,
  servePlayerPage,
  startPlayer,
  type Outcome,
  type PlayerServer,
} from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

/** The first one is what players prefer. */
const CODECS = 'av1,h264';
const clip = { seconds: 12, segmentSeconds: 2, representations: '144p,144p:0.3', codec: CODECS };

/** Seconds played in one codec before players are told to go on in the other. */
const BEFORE = 4;

/** The codec of each segment, in the order of delivery. */
const codecsOf = ({ statistics }: Pick<Outcome, 'statistics'>): string[] =>
  statistics!.segments.map(({ representation }) => (representation.startsWith('av1-') ? 'av1' : 'h264'));

/** Closed when no test goes on, as those of `FaultRelay`. */
const relays: Awaited<ReturnType<typeof startRelay>>[] = [];
afterAll(() => relays.forEach((relay) => relay.close()));

/** The server's endpoint behind what loses as a lossy network does. */
async function lossy({ ready }: Pick<PlayerServer, 'ready'>) {
  const relay = await startRelay({ lossPercent: 5, seed: 7 });
  relay.connect(ready.quicPort);
  const { certificateHashes } = ready;
  relays.push(relay);
  return { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes };
}

function expectBothCodecs(outcome: Pick<Outcome, 'statistics'>, first: string, then: string): void {
  const codecs = codecsOf(outcome);
  const change = codecs.indexOf(then);
  expect(change).toBeGreaterThan(0);
  expect([new Set(codecs.slice(0, change)), new Set(codecs.slice(change))]).toEqual([
    new Set([first]),
    new Set([then]),
  ]);
  const overDatagrams = outcome.statistics!.segments.filter(({ delivery }) => delivery === 'datagrams');
  expect(new Set(codecsOf({ statistics: { ...outcome.statistics!, segments: overDatagrams } })).size).toBe(2);
}

describe.concurrent('one manifest with a ladder in each of two codecs', () => {
  let ofHls: PlayerServer;

  const stage = playerStage(async (folder) => {
    const media = await prepareClip(folder, clip);
    ofHls = await serveHlsPage(folder, media);
    return servePlayerPage(folder, media);
  });

  afterAll(() => ofHls.stop());

  describe('in dash.js', () => {
    /** The way back only with `VOXEL_LONG=1`, outside `npm test`. */
    const CHANGES = [['av1', 'h264'] as const, ...(process.env.VOXEL_LONG ? [['h264', 'av1'] as const] : [])];

    it.each(CHANGES)('plays in %s, goes on in %s when told, and loses nothing but frames', async (first, then) => {
      const endpoint = await lossy(stage.server);
      const page = await openPage(stage.browser, stage.server.ready.url);
      await startPlayer(page, { endpoint, delivery: 'datagrams', refetch: false, bufferSegments: 1 });
      await page.waitForFunction(() => window.players[0]!.player.getTracksFor('video').length === 2);
      if (first === 'h264') await changeTrack(page, first);
      await playUntil(page, BEFORE);
      await changeTrack(page, then);
      await playUntil(page);
      const outcome = await outcomeOf(page);
      expect(outcome).toMatchObject({ errors: [], ended: true });
      expect(outcome.buffered).toHaveLength(1);
      expectBothCodecs(outcome, first, then);
      await page.close();
    });
  });

  describe('in hls.js', () => {
    it('plays in one, goes on in the other when told, and loses nothing but frames', async () => {
      const endpoint = await lossy(ofHls);
      const page = await openPage(stage.browser, ofHls.ready.url);
      await startHls(page, { endpoint, delivery: 'datagrams', bufferSegments: 1 });
      await playHlsUntil(page, BEFORE);
      const first = codecsOf(await outcomeOfHls(page))[0]!;
      const then = first === 'av1' ? 'h264' : 'av1';
      await page.evaluate(
        (codec) => {
          const { hls } = window.hlsPlayer;
          hls.loadLevel = hls.levels.findIndex(({ videoCodec }) => videoCodec!.startsWith(codec));
        },
        then === 'av1' ? 'av01' : 'avc1',
      );
      await playHlsUntil(page);
      const outcome = await outcomeOfHls(page);
      expect(errorsOfHls(outcome)).toEqual([]);
      expect(outcome.ended).toBe(true);
      expect(outcome.buffered).toHaveLength(1);
      expectBothCodecs(outcome, first, then);
      await page.close();
    });
  });
});

function changeTrack(page: Page, codec: string): Promise<void> {
  return page.evaluate(
    (name) => {
      const { player } = window.players[0]!;
      player.setCurrentTrack(player.getTracksFor('video').find(({ codec }) => codec!.includes(name))!);
    },
    codec === 'av1' ? 'av01' : 'avc1',
  );
}
