import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { buildSite } from '../../tools/site/build.mjs';
import { serveSite } from '../../tools/site/serve.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { barriers } from './support/accessible.js';
import { lowContrasts } from './support/contrast.js';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
const PAGES = [
  'index.html',
  'docs/RESULTS.html',
  'docs/tutorials/embed.html',
  'docs/api/voxel-dash.html',
  'ARCHITECTURE.html',
];

let folder: string;
let url: string;
let browser: Browser;
const stops: (() => unknown)[] = [];

// The site stands in a folder below the server's own: nothing may take the server's root for its own.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voxel-site-'));
  stops.push(() => rmSync(folder, { recursive: true }));
  const recording = join(folder, 'recorded');
  mkdirSync(recording);
  writeFileSync(
    join(recording, 'index.html'),
    '<!doctype html><title>recorded</title><p>A recorded run</p><script>parent.postMessage({ voxelCompareHeight: 777 }, "*")</script>',
  );
  await buildSite({ out: join(folder, 'some/where'), recording });
  const server = await serveSite(folder, 0);
  stops.push(() => server.stop());
  url = `${server.url}some/where/`;
  browser = await launchChrome(findChrome()!);
  stops.push(() => browser.close());
}, 300_000);

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** Opens a page of the site; returns what the browser complains about. */
async function open(page: Page, path: string): Promise<string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
      complaints.push(`asks for ${request.url()}`);
  });
  await page.goto(url + path, { waitUntil: 'networkidle0' });
  return complaints;
}

async function withPage<Result>(use: (page: Page) => Promise<Result>): Promise<Result> {
  const page = await browser.newPage();
  try {
    return await use(page);
  } finally {
    await page.close();
  }
}

describe.each([WIDE, NARROW])('at $width pixels', (viewport) => {
  it.each(PAGES)('%s fits, is readable in light and dark, and loads nothing from elsewhere', (path) =>
    withPage(async (page) => {
      await page.setViewport(viewport);
      for (const value of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        expect(await open(page, path)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
        expect(await page.evaluate(lowContrasts), value).toEqual([]);
        expect(await barriers(page), value).toEqual([]);
      }
    }),
  );
});

it('the first page shows the recording, as high as that says it is', () =>
  withPage(async (page) => {
    await open(page, 'index.html');
    await page.$eval('iframe', (frame) => frame.scrollIntoView());
    const frame = await (await page.waitForSelector('iframe'))!.contentFrame();
    await frame.waitForFunction(() => document.title === 'recorded');
    expect(await page.$eval('iframe', ({ clientHeight }) => clientHeight)).toBe(777);
  }));

it('a word that is typed is found, and Enter leads to where it stands', () =>
  withPage(async (page) => {
    const complaints = await open(page, 'docs/ABR.html');
    await page.keyboard.press('/');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.type('bandwidthSafety');
    await page.waitForSelector('dialog li mark');
    await page.keyboard.press('ArrowDown');
    const target = await page.evaluate(() => (document.activeElement as HTMLAnchorElement).href);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(page.url()).toBe(target);
    expect(await page.$eval('article', (article) => article.textContent)).toContain('bandwidthSafety');
    expect(complaints).toEqual([]);
  }));

it('Escape closes the search, and the focus is where it was', () =>
  withPage(async (page) => {
    await open(page, 'index.html');
    await page.focus('#open-search');
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    expect(await page.$('dialog[open]')).toBeNull();
    expect(await page.evaluate(() => document.activeElement!.id)).toBe('open-search');
  }));

it('the contents open from the keyboard on a narrow page', () =>
  withPage(async (page) => {
    await page.setViewport(NARROW);
    await open(page, 'docs/ABR.html');
    await page.focus('.menu');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#contents:popover-open a[aria-current]', { visible: true });
    await page.keyboard.press('Escape');
    expect(await page.$('#contents:popover-open')).toBeNull();
  }));

it('a wide table scrolls in its frame, not the page', () =>
  withPage(async (page) => {
    await page.setViewport(NARROW);
    await open(page, 'docs/RESULTS.html');
    const wider = await page.$$eval('.table', (tables) =>
      tables.filter((table) => table.scrollWidth > table.clientWidth),
    );
    expect(wider.length).toBeGreaterThan(5);
  }));
