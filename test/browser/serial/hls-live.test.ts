import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../../../tools/setup/paths.mjs';
import { HLS_PACKAGES, outcomeOfHls, playHlsUntil, serveHlsPage, startHls } from '../support/hls-page.js';
import { liveFolder, startLive, type LiveStream } from '../support/live-stream.js';
import { hasNginx, startNginx } from '../support/nginx.js';
import { openPage } from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';

/** Seconds of the stream that each player plays. */
const PLAYED = 10;

let live: LiveStream;
let page: Page;

const stage = playerStage(async (folder) => {
  live = await startLive(folder);
  const playlist = join(liveFolder(folder), 'master.m3u8');
  while (!existsSync(playlist)) await new Promise((resolve) => setTimeout(resolve, 50));
  return serveHlsPage(folder, liveFolder(folder));
});

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  await page.evaluate(() => performance.setResourceTimingBufferSize(10_000));
  return () => page.close();
});

afterAll(() => live.stop('SIGKILL'));

interface Played {
  /** What was asked for of playlists, and of media. */
  readonly reloads: string[];
  readonly media: string[];
  /** How many came over a session. */
  readonly chunks: number;
  readonly canBlockReload: boolean;
}

/** Plays for some seconds; what was seen. */
async function play(): Promise<Played> {
  await playHlsUntil(page, 0.1);
  const { currentTime } = await outcomeOfHls(page);
  await playHlsUntil(page, currentTime + PLAYED);
  return page.evaluate(() => {
    const { hls, chunks } = window.hlsPlayer;
    const names = performance.getEntriesByType('resource').map(({ name }) => name);
    return {
      reloads: names.filter((name) => name.includes('media.m3u8')),
      media: names.filter((name) => name.endsWith('.m4s')),
      chunks: chunks.length,
      canBlockReload: hls.levels[hls.loadLevel]!.details!.canBlockReload,
    };
  });
}

describe.each(HLS_PACKAGES)('%s', (name) => {
  it.each(['plain', 'with the plugin'])(
    'plays a live stream by parts, with its settings as they are, %s',
    async (kind) => {
      await startHls(page, kind === 'plain' ? 'plain' : {}, name);
      const played = await play();
      const outcome = await outcomeOfHls(page);
      // On a busy machine it finds reloads late and buffers empty, and says so.
      expect(outcome.errors.filter((error) => error.includes('(fatal)'))).toEqual([]);
      expect(outcome.frames).toBeGreaterThan(0);
      expect(outcome.decodedAudioBytes).toBeGreaterThan(0);
      expect(played.canBlockReload).toBe(true);
      for (const directive of ['_HLS_msn=', '_HLS_part=', '_HLS_skip='])
        expect(played.reloads.some((reload) => reload.includes(directive))).toBe(true);
      // More than two a second of picture and sound each: parts, not segments.
      expect(played.media.length + played.chunks).toBeGreaterThan(4 * PLAYED);
      expect(played.chunks > 0).toBe(kind !== 'plain');
    },
    120_000,
  );
});

it.runIf(hasNginx())(
  'plays from a web server that holds no requests, by segments',
  async () => {
    const [site, state] = ['site', 'nginx'].map((name) => join(stage.folder, name)) as [string, string];
    for (const folder of [site, state]) mkdirSync(folder);
    writeFileSync(join(site, 'index.html'), '');
    symlinkSync(liveFolder(stage.folder), join(site, 'media'));
    symlinkSync(join(root, 'node_modules', 'hls.js', 'dist'), join(site, 'hls.js'));
    const nginx = await startNginx(state, site);
    await page.goto(nginx.url);
    await startHls(page, 'plain');
    await playHlsUntil(page, 0.1);
    const { currentTime } = await outcomeOfHls(page);
    await playHlsUntil(page, currentTime + PLAYED);
    const { errors } = await outcomeOfHls(page);
    await nginx.stop();
    expect(errors.filter((error) => error.includes('(fatal)'))).toEqual([]);
    const media = nginx.requests().filter(({ path }) => path.endsWith('.m4s'));
    expect(media.length).toBeGreaterThan(PLAYED);
    // Whole segments, of picture and of sound once each.
    expect(new Set(media.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(media.map(({ path }) => path)).size).toBe(media.length);
  },
  120_000,
);
