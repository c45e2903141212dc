import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, ConsoleMessage, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {} from '../../demo/voxel-demo.js';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { prepareVideo } from '../../tools/start/prepare.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { barriers, keyboardBarriers } from './support/accessible.js';
import { lowContrasts } from './support/contrast.js';
import { plain } from './support/manifests.js';

/** Long enough that most segments are asked for after the session has opened, on a busy machine, too. */
const SECONDS = 24;
const SEGMENTS = SECONDS / 4;
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

type Server = Awaited<ReturnType<typeof startServer>>;

let media: string;
let server: Server;
let browser: Browser;

beforeAll(async () => {
  await ensureBuild();
  media = await prepareVideo({ video: undefined, duration: SECONDS, representations: '144p,240p:0.37' });
  server = await serve();
  browser = await launchChrome(findChrome()!);
}, 600_000);

afterAll(async () => {
  await browser.close();
  await server.stop();
});

function serve(...options: string[]): Promise<Server> {
  const page = join(root, 'dist/demo');
  return startServer([page, '--mount', `/media=${media}`, '--http-port', '0', '--quic-port', '0', ...options]);
}

/** Opens the page and hands it to `use` with everything that the browser complains about. */
async function withPage<Result>(
  url: string,
  viewport: { width: number; height: number },
  use: (page: Page, complaints: string[]) => Promise<Result>,
): Promise<Result> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  try {
    await page.setViewport(viewport);
    await page.goto(url);
    return await use(page, complaints);
  } finally {
    await page.close();
  }
}

function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
}

function textOf(page: Page, selector: string): Promise<string> {
  return page.$eval(selector, (element) => element.textContent);
}

function playToEnd(page: Page): Promise<unknown> {
  return page.waitForFunction(() => window.voxelDemo.ended || window.voxelDemo.report().errors.length > 0, {
    timeout: 8000 * SECONDS,
  });
}

describe('a run over datagrams', () => {
  it('plays to the end and shows every segment, with nothing in the console', () =>
    withPage(`${server.ready.url}?autoplay=1&buffer=2`, DESKTOP, async (page, complaints) => {
      await page.waitForFunction((half) => window.voxelDemo.video.currentTime > half, { timeout: 60_000 }, SECONDS / 2);
      // What is left was asked for, or is, with the session open.
      await page.evaluate(() => void (window.voxelDemo.video.playbackRate = 4));
      await playToEnd(page);
      const report = await page.evaluate(() => window.voxelDemo.report());
      expect(report).toMatchObject({ errors: [], ended: true, transport: 'webtransport-datagrams' });
      expect(report.startupMs).toBeGreaterThan(0);
      expect(report.playedSeconds).toBeGreaterThan(SECONDS - 0.5);
      expect(new Set(report.segments.map(({ index }) => index))).toEqual(new Set(Array(SEGMENTS).keys()));
      expect(await page.$$eval('#segments tr', (rows) => rows.length)).toBe(report.segments.length);
      expect(await page.$$eval('#segments .strip', (strips) => strips.length)).toBe(report.segments.length);
      expect(complaints).toEqual([]);
      expect(await page.$$eval('.notice', (notices) => notices.map(({ textContent }) => textContent))).toEqual([]);
      expect(await horizontalOverflow(page)).toBe(0);
      const counts = { datagrams: 0, streams: 0, http: 0 };
      const latest = new Map(report.segments.map(({ index, transport }) => [index, transport]));
      for (const delivery of latest.values()) counts[delivery]++;
      const badge = await textOf(page, '#delivery');
      expect(badge).toMatch(new RegExp(`^datagrams ${counts.datagrams}`));
      expect(badge.includes('HTTP')).toBe(counts.http > 0);
    }));

  it('can be read in light and dark, has everything named and explained, and Apply stands beside what it applies', () =>
    withPage(`${server.ready.url}?autoplay=1`, DESKTOP, async (page) => {
      await page.waitForSelector('#segments .strip');
      for (const value of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        expect(await page.evaluate(lowContrasts), value).toEqual([]);
        expect(await barriers(page), value).toEqual([]);
      }
      expect(await keyboardBarriers(page)).toEqual([]);
      const unexplained = await page.$$eval('.facts > div:not([title]), thead th:not([title], .frames)', (all) =>
        all.map(({ textContent }) => textContent.trim()),
      );
      expect(unexplained).toEqual([]);
      const bottoms = await page.$$eval('#manifest, #buffer, form button', (all) =>
        all.map((element) => Math.round(element.getBoundingClientRect().bottom)),
      );
      expect(new Set(bottoms).size).toBe(1);
    }));

  it('fits a phone, rows of the table included', () =>
    withPage(`${server.ready.url}?autoplay=1`, PHONE, async (page, complaints) => {
      await page.waitForSelector('#segments .strip');
      expect(await horizontalOverflow(page)).toBe(0);
      await page.click('#settings summary');
      expect(await horizontalOverflow(page)).toBe(0);
      expect(complaints).toEqual([]);
    }));

  it('exports the run', () =>
    withPage(`${server.ready.url}?autoplay=1`, DESKTOP, async (page) => {
      await page.waitForSelector('#segments tr');
      const exported = page.evaluate(
        () =>
          new Promise<string>((resolve, reject) => {
            URL.createObjectURL = (blob) => {
              (blob as Blob).text().then(resolve, reject);
              return '#';
            };
          }),
      );
      await page.click('#export');
      const run = JSON.parse(await exported) as { segments: unknown[]; samples: { time: number[] } };
      expect(run.segments.length).toBeGreaterThan(0);
      expect(run.samples.time.length).toBeGreaterThan(0);
    }));
});

describe('settings', () => {
  it('stand in the address: Apply loads the page anew with what the form says', () =>
    withPage(`${server.ready.url}?rule=bola-ssim&buffer=3`, DESKTOP, async (page) => {
      expect(await page.$eval('#rule', (rule) => (rule as HTMLSelectElement).value)).toBe('bola-ssim');
      await page.select('#delivery-setting', 'streams');
      await page.select('#refetch', '0');
      await Promise.all([page.waitForNavigation(), page.click('form button')]);
      const query = Object.fromEntries(new URL(page.url()).searchParams);
      expect(query).toEqual({
        manifest: '/media/manifest.mpd',
        delivery: 'streams',
        rule: 'bola-ssim',
        buffer: '3',
        refetch: '0',
      });
    }));

  it('play with plain dash.js, no plugin', () =>
    withPage(`${server.ready.url}?autoplay=1&delivery=plain`, DESKTOP, async (page, complaints) => {
      await page.waitForFunction(() => window.voxelDemo.video.currentTime > 1);
      expect(await page.evaluate(() => window.voxelDemo.handle === undefined)).toBe(true);
      expect(await textOf(page, '#delivery')).toBe('HTTP, plain dash.js');
      expect(complaints).toEqual([]);
    }));

  it('that make no sense are said in one line', () =>
    withPage(`${server.ready.url}?buffer=99`, DESKTOP, async (page) => {
      expect(await textOf(page, '[data-key="settings"] code')).toBe(
        'buffer must be a whole number from 1 to 7, got 99: using 7',
      );
    }));
});

describe('tracks', () => {
  it('can be chosen where there are several: another sound plays, and subtitles are shown', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'voxel-demo-'));
    const mpd = readFileSync(join(media, 'manifest.mpd'), 'utf8').replace(
      '<Period',
      '<BaseURL>/media/</BaseURL><Period',
    );
    const [sound = ''] = /<AdaptationSet[^>]*contentType="audio"[\s\S]*?<\/AdaptationSet>/.exec(mpd) ?? [];
    const second = sound
      .replace(/<AdaptationSet/, '<AdaptationSet lang="de"')
      .replace(/ id="[^"]*"/g, (id) => id.replace(/"$/, '-de"'));
    const subtitles =
      '<AdaptationSet contentType="text" mimeType="text/vtt" lang="en"><Representation id="words" bandwidth="100">' +
      '<BaseURL>/more/words.vtt</BaseURL></Representation></AdaptationSet>';
    writeFileSync(join(folder, 'words.vtt'), 'WEBVTT\n\n00:00.000 --> 00:20.000\nsome words\n');
    writeFileSync(
      join(folder, 'tracks.mpd'),
      mpd.replace(sound, `${sound}${second.replace(/ lang="(?!de)[^"]*"/, '')}${subtitles}`),
    );
    const serving = await serve('--mount', `/more=${folder}`);
    try {
      await withPage(`${serving.ready.url}?autoplay=1&manifest=/more/tracks.mpd`, DESKTOP, async (page, complaints) => {
        await page.waitForSelector('#track-audio');
        await page.waitForFunction(() => window.voxelDemo.video.currentTime > 1);
        expect(await page.$('#track-video')).toBeNull();
        await page.select('#track-audio', '1');
        await page.waitForFunction(() => window.voxelDemo.player.getCurrentTrackFor('audio')?.lang === 'de');
        await page.select('#track-text', '0');
        await page.waitForFunction(() =>
          [...window.voxelDemo.video.textTracks].some(
            ({ mode, activeCues }) => mode === 'showing' && activeCues?.length,
          ),
        );
        const at = await page.evaluate(() => window.voxelDemo.video.currentTime);
        await page.waitForFunction((at) => window.voxelDemo.video.currentTime > at + 1, {}, at);
        expect(await page.evaluate(() => window.voxelDemo.report().errors)).toEqual([]);
        expect(complaints).toEqual([]);
      });
    } finally {
      await serving.stop();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('errors that a person can read', () => {
  const noticeTitle = (page: Page, key: string) =>
    page.waitForSelector(`[data-key="${key}"]`).then(() => textOf(page, `[data-key="${key}"] h2`));

  it('the manifest is missing', () =>
    withPage(`${server.ready.url}?manifest=/media/absent.mpd`, PHONE, async (page) => {
      expect(await noticeTitle(page, 'manifest-missing')).toBe('The manifest is missing');
      expect(await horizontalOverflow(page)).toBe(0);
    }));

  it('the manifest has no VOXEL data: the video plays over HTTP', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'voxel-demo-'));
    const mpd = plain(readFileSync(join(media, 'manifest.mpd'), 'utf8'));
    writeFileSync(join(folder, 'plain.mpd'), mpd.replace('<Period', '<BaseURL>/media/</BaseURL><Period'));
    const serving = await serve('--mount', `/plain=${folder}`);
    try {
      await withPage(`${serving.ready.url}?autoplay=1&manifest=/plain/plain.mpd`, DESKTOP, async (page) => {
        // Once a segment; how many have come by now is the machine's affair.
        expect(await noticeTitle(page, 'no-voxel-data')).toMatch(/^This manifest has no VOXEL data/);
        await page.waitForFunction(() => window.voxelDemo.video.currentTime > 1);
        expect(await page.evaluate(() => window.voxelDemo.report().errors)).toEqual([]);
      });
    } finally {
      await serving.stop();
      rmSync(folder, { recursive: true });
    }
  });

  it('the server of the manifest is down', async () => {
    const stopped = await serve();
    await stopped.stop();
    const manifest = encodeURIComponent(new URL('/media/manifest.mpd', stopped.ready.url).href);
    await withPage(`${server.ready.url}?manifest=${manifest}`, DESKTOP, async (page) => {
      expect(await noticeTitle(page, 'server-down')).toBe('The server does not answer');
    });
  });

  it('the server has no WebTransport: the video plays over HTTP', async () => {
    const http = await serve('--no-webtransport');
    try {
      await withPage(`${http.ready.url}?autoplay=1`, DESKTOP, async (page) => {
        expect(await noticeTitle(page, 'no-voxel-server')).toMatch(/announces no WebTransport/);
        await page.waitForFunction(() => window.voxelDemo.video.currentTime > 1);
        await page.waitForSelector('#segments tr');
        await page.waitForFunction(() => /^HTTP \d+$/.test(document.querySelector('#delivery')!.textContent));
        expect(await page.evaluate(() => window.voxelDemo.report().errors)).toEqual([]);
      });
    } finally {
      await http.stop();
    }
  });

  it('no session opens, as where UDP is blocked: the video plays over HTTP', async () => {
    const gone = await serve();
    await gone.stop();
    const blocked = await serve('--public-endpoint', gone.ready.endpoint);
    try {
      await withPage(`${blocked.ready.url}?autoplay=1`, DESKTOP, async (page) => {
        expect(await noticeTitle(page, 'session-failed')).toMatch(/^No WebTransport session could be opened/);
        await page.waitForFunction(() => window.voxelDemo.video.currentTime > 1);
        expect(await page.evaluate(() => window.voxelDemo.report().errors)).toEqual([]);
      });
    } finally {
      await blocked.stop();
    }
  });

  it('the browser has no WebTransport: the video plays over HTTP', async () => {
    const page = await browser.newPage();
    try {
      await page.evaluateOnNewDocument(() => Reflect.deleteProperty(window, 'WebTransport'));
      await page.goto(`${server.ready.url}?autoplay=1`);
      expect(await noticeTitle(page, 'no-webtransport')).toBe('This browser has no WebTransport');
      await page.waitForFunction(() => window.voxelDemo.video.currentTime > 1);
      expect(await page.evaluate(() => window.voxelDemo.report().errors)).toEqual([]);
    } finally {
      await page.close();
    }
  });
});
