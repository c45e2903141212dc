import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { describe, expect, it } from 'vitest';
import type { FallbackEvent } from '../../player/index.js';
import { root } from '../../tools/setup/paths.mjs';
import { prepareClip } from './support/clip.js';
import { errorsOfHls, outcomeOfHls, playHlsToEnd, startHls } from './support/hls-page.js';
import { live, plain } from './support/manifests.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playToEnd,
  playUntil,
  servePlayerPage,
  startPlayer,
} from './support/player-page.js';
import { openForEach, playerStage } from './support/player-stage.js';

const clip = { seconds: 10, segmentSeconds: 2 };

const stage = playerStage(async (folder) => {
  const media = await prepareClip(folder, clip);
  cpSync(media, join(folder, 'unprepared'), { recursive: true });
  for (const name of readdirSync(join(folder, 'unprepared'))) {
    const file = join(folder, 'unprepared', name);
    if (name.endsWith('.mpd')) writeFileSync(file, plain(readFileSync(file, 'utf8')));
    if (name === 'master.m3u8')
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/^#EXT-X-SESSION-DATA.*\n/gm, ''));
  }
  const mpd = readFileSync(join(folder, 'unprepared/manifest.mpd'), 'utf8');
  // Asked for again each second.
  const updated = live(mpd, 4).replace('<MPD ', '<MPD minimumUpdatePeriod="PT1S" ');
  writeFileSync(join(folder, 'unprepared/live.mpd'), updated);
  return servePlayerPage(
    folder,
    media,
    ...['--mount', `/unprepared=${join(folder, 'unprepared')}`],
    ...['--mount', `/hls.js=${join(root, 'node_modules/hls.js/dist')}`],
  );
});

openForEach(() => openPage(stage.browser, stage.server.ready.url));

/** Of no segment: events say nothing of `index` then. */
const codesOf = (fallbacks: readonly FallbackEvent[]) =>
  fallbacks.map(({ to, code, index }) => `${to} ${code} ${index}`);

const NOT_PREPARED = 'http not-prepared undefined';

describe('what nobody has prepared plays, and one event says that it has no VOXEL data', () => {
  it('with dash.js', async ({ page }) => {
    await startPlayer(page, {}, '/unprepared/manifest.mpd');
    await playToEnd(page);
    const { errors, ended, fallbacks, statistics } = await outcomeOf(page);
    expect({ errors, ended }).toEqual({ errors: [], ended: true });
    expect(codesOf(fallbacks)).toEqual([NOT_PREPARED]);
    expect(fallbacks[0]!.url).toContain('/unprepared/manifest.mpd');
    expect(statistics!.segments).toEqual([]);
  });

  it('with dash.js, whose live manifest comes again and again', async ({ page }) => {
    await startPlayer(page, {}, '/unprepared/live.mpd');
    await playUntil(page, 1);
    const asked = () =>
      page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => name.includes('.mpd')).length);
    await expect.poll(asked, { timeout: 30_000 }).toBeGreaterThan(2);
    expect(codesOf((await outcomeOf(page)).fallbacks)).toEqual([NOT_PREPARED]);
  });

  it('with hls.js', async ({ page }) => {
    await startHls(page, {}, 'hls.js', {}, '/unprepared/master.m3u8');
    await playHlsToEnd(page);
    const outcome = await outcomeOfHls(page);
    expect(errorsOfHls(outcome)).toEqual([]);
    expect(outcome.ended).toBe(true);
    expect(codesOf(outcome.fallbacks)).toEqual([NOT_PREPARED]);
  });

  it('but none where the page wants HTTP', async ({ page }) => {
    await startPlayer(page, { delivery: 'http' }, '/unprepared/manifest.mpd');
    await playToEnd(page);
    expect(await outcomeOf(page)).toMatchObject({ ended: true, errors: [], fallbacks: [] });
  });
});

it('what is so for every segment is one event: the page’s policy allows no worker', async ({ page }) => {
  await page.evaluate(() => {
    const policy = document.createElement('meta');
    policy.httpEquiv = 'Content-Security-Policy';
    policy.content = "worker-src 'none'";
    document.head.append(policy);
  });
  await page.addScriptTag({ url: '/dist/umd/voxel-dash.js' });
  await startPlayer(page);
  await playToEnd(page);
  const { ended, sessions, fallbacks, statistics } = await outcomeOf(page);
  expect(ended).toBe(true);
  expect(statistics!.segments.length).toBeGreaterThan(3);
  expect(sessions).toMatchObject([{ state: 'failed', code: 'unsupported' }]);
  expect(codesOf(fallbacksOnceReady({ fallbacks }))).toEqual(['http unsupported undefined']);
});

describe('attaching says in one line what is wrong', () => {
  /** What the expression throws on a page that has both players and both plugins. */
  async function complaintOf(page: Page, expression: string): Promise<string> {
    await page.addScriptTag({ url: '/hls.js/hls.min.js' });
    await page.evaluate(() => {
      const { voxelDash } = window as unknown as { voxelDash: object };
      Object.assign(window, { dashPlugin: voxelDash });
    });
    await page.addScriptTag({ url: '/dist/umd/voxel-hls.js' });
    return page.evaluate((expression) => {
      const video = document.body.appendChild(document.createElement('video'));
      try {
        // oxlint-disable-next-line typescript/no-implied-eval
        const attach = new Function('video', expression) as (video: HTMLVideoElement) => void;
        attach(video);
      } catch (error) {
        const { code, message } = error as { code: string; message: string };
        return `${code}: ${message}`;
      }
      return 'nothing';
    }, expression);
  }

  it.each([
    ['a video in place of a player', 'dashPlugin.attachVoxel(video)', /^wrong-player: .* got HTMLVideoElement$/],
    ['dash.js without create()', 'dashPlugin.attachVoxel(dashjs.MediaPlayer())', /^wrong-player: .*create\(\)/],
    ['an hls.js player in place of dash.js’', 'dashPlugin.attachVoxel(new Hls())', /^wrong-player: .*attachVoxelHls/],
    [
      'a dash.js player in place of hls.js’',
      'voxelDash.attachVoxelHls(dashjs.MediaPlayer().create())',
      /^wrong-player: .*attachVoxel of voxel-dash takes that$/,
    ],
    [
      'a dash.js player that has begun',
      'const p = dashjs.MediaPlayer().create(); p.initialize(video, "/media/manifest.mpd", false); dashPlugin.attachVoxel(p)',
      /^attached-too-late: /,
    ],
    [
      'an hls.js player that has begun',
      'const h = new Hls(); h.loadSource("/media/master.m3u8"); voxelDash.attachVoxelHls(h)',
      /^attached-too-late: /,
    ],
    [
      'an option that is none',
      'dashPlugin.attachVoxel(dashjs.MediaPlayer().create(), { buffer: 3 })',
      /^unknown-option: .*did you mean bufferSegments\?$/,
    ],
    [
      'the same of hls.js',
      'voxelDash.attachVoxelHls(new Hls(), { buffer: 3 })',
      /^unknown-option: .*did you mean bufferSegments\?$/,
    ],
    [
      'nothing where nothing is',
      'dashPlugin.attachVoxel(dashjs.MediaPlayer().create(), { bufferSegments: 3 })',
      /^nothing$/,
    ],
    ['nothing of hls.js where nothing is', 'voxelDash.attachVoxelHls(new Hls())', /^nothing$/],
  ])('%s', async (_, expression, expected) => {
    const page = await openPage(stage.browser, stage.server.ready.url);
    expect(await complaintOf(page, expression)).toMatch(expected);
    await page.close();
  });
});
