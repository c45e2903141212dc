import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer, { type Browser, type Frame, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {} from '../../demo/compare/voxel-compare.js';
import type { Recording } from '../../demo/compare/recording/format.js';
import { startControlServer } from '../../tools/compare/control-server.mjs';
import { sizeOfRecording, writeRecordedPage } from '../../tools/compare/recording.mjs';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { findFirefox } from '../../tools/setup/firefox.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { buildSite } from '../../tools/site/build.mjs';
import { serveSite } from '../../tools/site/serve.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { barriers } from './support/accessible.js';
import { prepareClip } from './support/clip.js';
import { lowContrasts } from './support/contrast.js';

const SECONDS = 8;
const SEGMENT_SECONDS = 2;

/** Two good seconds, then next to nothing for two, and losses all the while. */
const PRESET = {
  ...{ id: 'short', title: 'A short tunnel', about: 'Two seconds without a link' },
  link: {
    trace: { step: 1, rates: [4e6, 4e6, 1e5, 1e5, 4e6, 4e6, 4e6, 4e6, 4e6, 4e6] },
    ...{ delayMs: 10, queuePackets: 32, loss: { percent: 2 } },
  },
};

let folder: string;
let media: Awaited<ReturnType<typeof startServer>>;
let control: Awaited<ReturnType<typeof startControlServer>>;
let browser: Browser;
let complaints: string[];

beforeAll(async () => {
  await ensureBuild();
  folder = mkdtempSync(join(tmpdir(), 'voxel-compare-'));
  const clip = { seconds: SECONDS, segmentSeconds: SEGMENT_SECONDS };
  media = await startServer([await prepareClip(folder, clip), '--http-port', '0', '--quic-port', '0']);
  const { url, quicPort, certificateHashes } = media.ready;
  const page = join(root, 'dist/compare');
  control = await startControlServer({
    ...{ page, port: 0, presets: [PRESET] },
    program: () =>
      Promise.resolve({
        ...{ media: url, isLive: false, duration: SECONDS, segmentDuration: SEGMENT_SECONDS },
        server: { httpPort: Number(new URL(url).port), quicPort, certificateHashes },
      }),
    recordTo: writeRecordedPage(join(folder, 'recorded'), page),
    content: { commit: 'test', server: 'aioquic', records: true },
  });
  browser = await launchChrome(findChrome()!);
}, 600_000);

afterAll(async () => {
  await browser.close();
  control.close();
  await media.stop();
  rmSync(folder, { recursive: true });
});

async function openPage(url: string, from = browser): Promise<Page> {
  const page = await from.newPage();
  complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(url);
  return page;
}

/** Milliseconds that a run has to end, and so its recording, which waits as it did. */
const LONGEST_RUN = 120_000;

/** Waits until all three videos of a recording are past that time and the run has its verdict. */
async function playRecording(frame: Page | Frame, seconds: number): Promise<void> {
  const isPast = (seconds: number): boolean => {
    const past = [...document.querySelectorAll('video')].filter(({ currentTime }) => currentTime > seconds);
    return past.length === 3;
  };
  const hasVerdict = (): boolean => document.querySelector('#verdict')!.textContent !== '';
  try {
    await frame.waitForFunction(isPast, { timeout: LONGEST_RUN }, seconds);
    await frame.waitForFunction(hasVerdict, { timeout: LONGEST_RUN });
  } catch (error) {
    const state = await frame.$$eval('video', (videos) =>
      videos.map(({ currentTime, paused, seeking, readyState, networkState, error }) =>
        [currentTime, paused, seeking, readyState, networkState, error?.message].join(),
      ),
    );
    const waited = await frame.$$eval('.waited b', (numbers) => numbers.map(({ textContent }) => textContent));
    throw new Error(`the recording stands: ${JSON.stringify({ state, waited, complaints })}`, { cause: error });
  }
}

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

describe('the comparison', () => {
  let page: Page;

  beforeAll(async () => {
    page = await openPage(`${control.url}?buffer=1`);
  });

  it('can be driven by the keyboard alone: everything is reached, and named', async () => {
    await page.waitForSelector('.frames-strip');
    const names: string[] = [];
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press('Tab');
      const name = await page.evaluate(() => {
        const { activeElement: element } = document;
        const hasRing = element && getComputedStyle(element).outlineStyle !== 'none';
        const labels = (element as HTMLInputElement | null)?.labels;
        const label = element?.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element?.textContent ?? '';
        return `${hasRing ? '' : 'no ring: '}${label.trim().split(/\s+/).slice(0, 2).join(' ')}`;
      });
      if (name !== '') names.push(name);
    }
    expect(names.slice(0, 10)).toEqual([
      ...['Link A', 'Speed of', 'Start all', 'Frames of', 'Frames of', 'Frames of'],
      ...['Copy link', 'Save run', 'Save clip', 'How fair'],
    ]);
  });

  it('plays all three to the end over links of their own, with nothing in the console', async () => {
    await page.focus('#start');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.voxelCompare.hasEnded, { timeout: LONGEST_RUN });
    const report = (await page.evaluate(() => window.voxelCompare.report()))!;
    expect(complaints).toEqual([]);
    expect(report.players.map(({ id }) => id)).toEqual(['dynamic', 'streams', 'datagrams']);
    for (const player of report.players) {
      expect(player).toMatchObject({ hasEnded: true, errors: [], segments: SECONDS / SEGMENT_SECONDS });
      expect(player.waited).toBeGreaterThan(0);
      expect(player.ssim).toBeGreaterThan(0.5);
      expect(player.picturesPerSecond).toBeGreaterThan(1);
      expect(player.longestStill).toBeGreaterThan(0);
      expect(player.bytes).toBeGreaterThan(10_000);
    }
    const [dynamic, , datagrams] = report.players;
    expect(dynamic!.packetsLost).toBe(0);
    expect(datagrams!.packetsLost).toBeGreaterThan(0);
  });

  it('says beside the seconds waited what was shown, of each player and in one sentence, and marks stills in the timeline', async () => {
    const report = (await page.evaluate(() => window.voxelCompare.report()))!;
    const { longestStill, picturesPerSecond, waited } = report.players[0]!;
    const shown = await page.$$eval('.lane.dynamic .paid dd', (values) => values.map(({ textContent }) => textContent));
    expect(shown.slice(0, 2)).toEqual([picturesPerSecond!.toFixed(1), `${longestStill.toFixed(1)} s`]);
    const sentence = `dash.js waited ${waited.toFixed(1)} s and showed ${shown[0]} pictures a second, one of them for ${shown[1]}`;
    expect(await page.$eval('#verdict', ({ textContent }) => textContent)).toContain(sentence);
    const rows = await page.$$eval('.strip-row:has(.still)', (rows) =>
      rows.map((row) => [row.querySelector('small')!.textContent, row.querySelector('.still')!.getAttribute('d')]),
    );
    expect(rows).toHaveLength(3);
    for (const [place, [text, path]] of rows.entries()) {
      const { stillShare } = report.players[place]!;
      expect(text).toContain(`${Math.round(100 * stillShare)} % still`);
      expect(path !== '').toBe(stillShare > 0);
    }
  });

  it('shows a frame as delivered, shown and encoded, with the keyboard', async () => {
    await page.$eval('.datagrams .frames-strip', (strip) => (strip as SVGElement).focus());
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('#pictures figure').length === 4);
    const captions = await page.$$eval('#pictures figcaption', (captions) => captions.map((one) => one.textContent));
    expect(captions.join('; ')).toMatch(/^Delivered; (Shown|Repaired: what was shown); Original; Difference/);
    await page.keyboard.press('Escape');
    expect(complaints).toEqual([]);
  });

  it('fits a phone, and can be read in light and dark', async () => {
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      expect(await page.evaluate(lowContrasts)).toEqual([]);
      expect(await barriers(page)).toEqual([]);
    }
    await page.setViewport({ width: 390, height: 844 });
    expect(await overflow(page)).toBe(0);
    await page.setViewport({ width: 1280, height: 900 });
  });

  it('is recorded to files', async () => {
    await page.evaluate(() => window.voxelCompare.saveRecording());
    const recorded = join(folder, 'recorded');
    const run = JSON.parse(readFileSync(join(recorded, 'run/run.json'), 'utf8')) as Recording;
    for (const { file, appends } of run.lanes) {
      const { offset, length } = appends.at(-1)!;
      expect(statSync(join(recorded, 'run', file)).size).toBe(offset + length);
    }
    expect(sizeOfRecording(recorded).bytes).toBeLessThan(30e6);
    await page.close();
  });
});

const firefox = findFirefox();
if (!firefox) console.warn('left out: Firefox is not installed (packages firefox-esr and, for H.264, ffmpeg)');

describe.each([['Chromium', () => browser], ...(firefox ? [['Firefox', launchFirefox] as const] : [])] as const)(
  'the recording in %s',
  (_, launch) => {
    it(
      'plays from a plain static server, without WebTransport and to the figures of its run',
      async (context) => {
        const plain = await startServer([
          join(folder, 'recorded'),
          '--http-port',
          '0',
          '--quic-port',
          '0',
          '--no-webtransport',
        ]);
        const own = await launch();
        try {
          const page = await openPage(plain.ready.url, own);
          const decodes = await page.evaluate(() => MediaSource.isTypeSupported('video/mp4; codecs="avc1.64001f"'));
          if (!decodes) context.skip('this browser cannot decode H.264');
          await page.evaluate(() => {
            Object.assign(window, { WebTransport: undefined });
          });
          await page.waitForFunction(() => document.querySelectorAll('.lane video').length === 3);
          await page.click('#start');
          await playRecording(page, 1);
          const run = JSON.parse(readFileSync(join(folder, 'recorded/run/run.json'), 'utf8')) as Recording;
          const numbers = await page.$$eval('.waited b', (numbers) =>
            numbers.map(({ textContent }) => Number(textContent)),
          );
          run.report.players.forEach(({ waited }, place) => {
            expect(Math.abs(numbers[place]! - waited)).toBeLessThan(0.2);
          });
          expect(complaints).toEqual([]);
          await page.close();
        } finally {
          await plain.stop();
          if (own !== browser) await own.close();
        }
      },
      3 * LONGEST_RUN,
    );
  },
);

describe('the recording on the first page of the site', () => {
  let site: Awaited<ReturnType<typeof serveSite>>;

  beforeAll(async () => {
    const out = join(folder, 'site');
    await buildSite({ out, recording: join(folder, 'recorded') });
    site = await serveSite(out, 0);
  }, 300_000);

  afterAll(() => site.stop());

  it.each([1280, 390])(
    'plays by itself from static files, and nothing of it is cut off, at %d pixels',
    async (width) => {
      const page = await openPage(site.url);
      await page.setViewport({ width, height: 900 });
      await page.$eval('iframe', (frame) => frame.scrollIntoView());
      const frame = await (await page.waitForSelector('iframe'))!.contentFrame();
      await playRecording(frame, 0.5);
      await frame.waitForFunction(() => document.documentElement.scrollHeight <= innerHeight);
      expect(await overflow(page)).toBe(0);
      expect(await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
      expect(await barriers(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    },
    3 * LONGEST_RUN,
  );

  it('waits for a click where less motion is wanted, and says nobody waits', async () => {
    const page = await browser.newPage();
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await page.goto(site.url);
    await page.$eval('iframe', (frame) => frame.scrollIntoView());
    const frame = await (await page.waitForSelector('iframe'))!.contentFrame();
    await frame.waitForFunction(() => document.querySelector('#start')?.textContent === 'Play');
    expect(await frame.$$eval('video', (videos) => videos.map(({ src }) => src))).toEqual(['', '', '']);
    expect(await frame.$('.frozen')).toBeNull();
    await page.close();
  });
});

function launchFirefox(): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: firefox,
    headless: true,
    extraPrefsFirefox: { 'media.autoplay.default': 0 },
  });
}
