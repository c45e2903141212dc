import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { HANDSHAKE_PACKETS, startRelay } from '../../../tools/start/relay.mjs';
import {
  liveFolder,
  PATIENT,
  playOn,
  recordVideo,
  recordedVideo,
  startLive,
  startLivePlayer,
  type LiveStream,
} from '../support/live-stream.js';
import { openPage, outcomeOf, servePlayerPage } from '../support/player-page.js';
import { strictDecode } from '../support/strict-decode.js';
import { playerStage } from '../support/player-stage.js';

/** Of the server's packets. There is no delay on the way, so much of what is lost comes in time when it is asked for again … */
const LOSS_PERCENT = 30;

/** … and with so little latency some of it does not. */
const CLOSE = { streaming: { ...PATIENT.streaming, delay: { liveDelay: 0.5 } } };

/** Seconds of the stream that each player plays. */
const PLAYED = 8;

let page: Page;

/** Plays until some seconds past its first picture. */
async function play(...options: Parameters<typeof startLivePlayer> extends [Page, ...infer Rest] ? Rest : never) {
  await startLivePlayer(page, ...options);
  await playOn(page, PLAYED);
}

describe.each(['h264', 'av1'])('in %s', (codec) => {
  let live: LiveStream;

  const stage = playerStage(async (folder) => {
    live = await startLive(folder, '--codec', codec);
    return servePlayerPage(folder, liveFolder(folder));
  });

  beforeEach(async () => {
    page = await openPage(stage.browser, stage.server.ready.url);
    return () => page.close();
  });

  afterAll(() => live.stop('SIGKILL'));

  it('plays a live stream over a lossy link, chunk by chunk, with gaps repaired for the strictest of decoders', async () => {
    await recordVideo(page);
    const relay = await startRelay({ lossPercent: LOSS_PERCENT, seed: 1, spared: HANDSHAKE_PACKETS });
    relay.connect(stage.server.ready.quicPort);
    const endpoint = {
      url: `https://127.0.0.1:${relay.port}/voxel`,
      certificateHashes: stage.server.ready.certificateHashes,
    };
    await play({ endpoint }, CLOSE);
    await page.waitForFunction(
      (least) => {
        const video = window.chunks.filter(({ mediaType }) => mediaType === 'video');
        const seconds = video.reduce((sum, { duration }) => sum + duration, 0);
        return seconds > least && video.some(({ framesRepaired }) => framesRepaired > 0);
      },
      { timeout: 60_000 },
      PLAYED - 2,
    );
    const [{ errors }, chunks] = [await outcomeOf(page), await page.evaluate(() => window.chunks)];
    relay.close();
    expect(errors).toEqual([]);
    const video = chunks.filter(({ mediaType }) => mediaType === 'video');
    const seconds = video.reduce((sum, { duration }) => sum + duration, 0);
    expect(seconds).toBeGreaterThan(PLAYED - 2);
    expect(chunks.some(({ mediaType }) => mediaType === 'audio')).toBe(true);
    expect(video.some(({ bytesUnreliable }) => bytesUnreliable > 0)).toBe(true);
    const recorded = await recordedVideo(page);
    for (const { init, media } of recorded) expect(() => strictDecode(init, media)).not.toThrow();
  }, 120_000);

  it.runIf(codec === 'h264')(
    'is a stream that any player plays',
    async () => {
      await play('plain', PATIENT);
      const { errors, frames } = await outcomeOf(page);
      expect(errors).toEqual([]);
      expect(frames).toBeGreaterThan(0);
    },
    120_000,
  );
});
