import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeInline, prepareClip } from './support/clip.js';
import { inTwoPeriods, live, plain, withTracks } from './support/manifests.js';
import { openPage, outcomeOf, playToEnd, playUntil, servePlayerPage, startPlayer } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const clip = { seconds: 20, segmentSeconds: 2 };
const SEGMENTS = clip.seconds / clip.segmentSeconds;
const FIRST_PERIOD = 3;
const SUBTITLES = 'WEBVTT\n\n00:00.000 --> 00:20.000\nvoxels\n';

let media: string;
let page: Page;

const stage = playerStage(async (folder) => {
  await prepareClip(folder, clip);
  media = await describeInline(folder, clip);
  const mpd = readFileSync(join(media, 'manifest.mpd'), 'utf8');
  writeFileSync(join(media, 'periods.mpd'), inTwoPeriods(mpd, FIRST_PERIOD, clip.segmentSeconds));
  writeFileSync(join(media, 'tracks.mpd'), withTracks(mpd, 'subtitles.vtt'));
  writeFileSync(join(media, 'subtitles.vtt'), SUBTITLES);
  return servePlayerPage(folder, media);
});

/** Opens a page for each test of a block. */
function withPage(): void {
  beforeEach(async () => {
    page = await openPage(stage.browser, stage.server.ready.url);
    return () => page.close();
  });
}

describe('with the plugin, dash.js', () => {
  withPage();

  it('plays several periods, all of them over datagrams', async () => {
    await startPlayer(page, {}, '/media/periods.mpd');
    // On the way through the second one.
    await playToEnd(page, { seconds: (FIRST_PERIOD + 1) * clip.segmentSeconds });
    const { statistics, ...outcome } = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true });
    expect(outcome.buffered).toHaveLength(1);
    const starts = statistics!.segments.map(({ startTime }) => startTime);
    expect(starts.map(Math.round)).toEqual([...Array(SEGMENTS).keys()].map((index) => index * clip.segmentSeconds));
    expect(statistics!.segments.filter(({ delivery }) => delivery === 'datagrams').length).toBeGreaterThan(
      FIRST_PERIOD,
    );
  });

  it('shows subtitles and changes the audio track while it plays', async () => {
    await startPlayer(page, { bufferSegments: 1 }, '/media/tracks.mpd');
    await playUntil(page, 1);
    const tracks = await page.evaluate(() => {
      const { player } = window.players[0]!;
      player.enableText(true);
      player.setTextTrack(0);
      const audio = player.getTracksFor('audio');
      player.setCurrentTrack(audio.find(({ lang }) => lang === 'fr')!);
      return { audio: audio.length, text: player.getTracksFor('text').length };
    });
    expect(tracks).toEqual({ audio: 2, text: 1 });
    await playUntil(page, 5);
    const seen = await page.evaluate(() => {
      const { player, video } = window.players[0]!;
      const [cue] = video.textTracks[0]!.activeCues ?? [];
      return { lang: player.getCurrentTrackFor('audio')!.lang, cue: (cue as VTTCue | undefined)?.text };
    });
    expect(seen).toEqual({ lang: 'fr', cue: 'voxels' });
    await playToEnd(page);
    expect(await outcomeOf(page)).toMatchObject({ errors: [], ended: true });
  });

  it('plays at other rates, and pauses', async () => {
    await startPlayer(page);
    await playUntil(page, 1);
    await page.evaluate(() => window.players[0]!.player.setPlaybackRate(2));
    await playUntil(page, 6);
    const moved = await page.evaluate(async () => {
      const { player, video } = window.players[0]!;
      player.pause();
      const from = video.currentTime;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const moved = video.currentTime - from;
      player.setPlaybackRate(0.5);
      player.play();
      return moved;
    });
    expect(moved).toBeLessThan(0.1);
    await playUntil(page, 7);
    await page.evaluate(() => window.players[0]!.player.setPlaybackRate(4));
    await playUntil(page);
    expect(await outcomeOf(page)).toMatchObject({ errors: [], ended: true });
  });

  it('plays another presentation after attachSource and after reset', async () => {
    await startPlayer(page);
    await playUntil(page, 1);
    await page.evaluate(() => window.players[0]!.player.attachSource('/media/periods.mpd'));
    await playUntil(page, 2);
    await page.evaluate(() => {
      const { player, video } = window.players[0]!;
      player.reset();
      player.initialize(video, '/media/manifest.mpd', true);
    });
    await playToEnd(page);
    const { errors, ended, statistics } = await outcomeOf(page);
    expect({ errors, ended }).toEqual({ errors: [], ended: true });
    expect(statistics!.segments.at(-1)).toMatchObject({ index: SEGMENTS - 1 });
  });
});

// They only wait: beside each other.
describe.concurrent('with the plugin, dash.js', () => {
  it.each([
    { version: 1, mode: 'query' },
    { version: 1, mode: 'header' },
    { version: 2, mode: 'query' },
    { version: 2, mode: 'header' },
  ])('sends CMCD v$version by $mode', async ({ version, mode }) => {
    const page = await openPage(stage.browser, stage.server.ready.url);
    const cmcd = { enabled: true, version, mode, sid: '6e2fb550-c457-11e9-bb97-0800200c9a66', cid: 'clip' };
    await startPlayer(page, { bufferSegments: 1 }, '/media/manifest.mpd', { streaming: { cmcd } });
    await playUntil(page, 5);
    const { errors, statistics } = await outcomeOf(page);
    expect(errors).toEqual([]);
    expect(statistics!.segments.some(({ delivery }) => delivery === 'datagrams')).toBe(true);
    if (mode === 'query') {
      const names = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
      const audio = names.filter((name) => name.includes('/media/a') && name.includes('CMCD='));
      expect(audio.length).toBeGreaterThan(0);
    }
    await page.close();
  });
});

describe('on its own path, with the plugin attached', () => {
  withPage();

  /** The default is a server on the internet. */
  const utcSynchronization = { enabled: false };

  const writeLive = (): void => {
    const mpd = readFileSync(join(stage.folder, 'media/manifest.mpd'), 'utf8');
    writeFileSync(join(media, 'live.mpd'), live(plain(mpd), 10));
  };

  it('plays a live stream', async () => {
    writeLive();
    await startPlayer(page, {}, '/media/live.mpd', { streaming: { utcSynchronization } });
    await playUntil(page, 1);
    const from = await page.evaluate(() => window.players[0]!.video.currentTime);
    await playUntil(page, from + 3);
    const { errors, statistics } = await outcomeOf(page);
    expect({ errors, segments: statistics!.segments }).toEqual({ errors: [], segments: [] });
    expect(await page.evaluate(() => window.players[0]!.player.isDynamic())).toBe(true);
  });

  it('plays a live stream with low latency', async () => {
    writeLive();
    const streaming = { utcSynchronization, delay: { liveDelay: 3 }, liveCatchup: { enabled: true } };
    await startPlayer(page, {}, '/media/live.mpd', { streaming });
    await playUntil(page, 1);
    const from = await page.evaluate(() => window.players[0]!.video.currentTime);
    await playUntil(page, from + 3);
    const { errors } = await outcomeOf(page);
    expect(errors).toEqual([]);
    expect(await page.evaluate(() => window.players[0]!.player.getCurrentLiveLatency())).toBeLessThan(6);
  });
});
