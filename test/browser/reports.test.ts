import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main as simulate } from '../../lab/sim/main.js';
import { readConfig } from '../../lab/trials/config.js';
import { writeReport } from '../../lab/trials/report/write.js';
import type { TrialResult } from '../../lab/trials/result.js';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { barriers, keyboardBarriers } from './support/accessible.js';

const WIDTHS = [1280, 390];

let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voxel-reports-'));
  const rules = ['--abr', 'abr-star,bola-e', '--buffers', '1,3', '--segments', '10'];
  await simulate(['--traces', '3g-like', ...rules, '--out', join(folder, 'simulated')]);
  const config = readConfig(join(root, 'lab/trials/configs/results-small.json'));
  const kept = readFileSync(join(root, 'docs/results/results-small/sessions.jsonl'), 'utf8').trim().split('\n');
  const results = kept.map((line) => JSON.parse(line) as TrialResult);
  writeReport({ config, trials: [], results, out: folder });
  browser = await launchChrome(findChrome()!);
}, 120_000);

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

describe.each(['simulated/report.html', 'report.html'])('%s', (file) => {
  it.each(WIDTHS)('can be read at %d pixels, in light and dark, with every column defined', async (width) => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.setViewport({ width, height: 844 });
    for (const value of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      await page.goto(pathToFileURL(join(folder, file)).href);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0);
      await page.$eval('details', (details) => (details.open = true));
      expect(await barriers(page), value).toEqual([]);
    }
    expect(await keyboardBarriers(page)).toEqual([]);
    const defined = await page.$$eval('dl dt', (terms) => terms.map(({ textContent }) => textContent));
    const columns = await page.$$eval('th', (heads) => heads.map(({ textContent }) => textContent));
    expect(columns.filter((column) => !defined.includes(column))).toEqual([]);
    // The table scrolls in its frame, and what a row is stays in sight.
    const place = await page.$eval('.table', (frame) => {
      frame.scrollLeft = 400;
      const name = frame.querySelector('td:nth-child(2)')!.getBoundingClientRect();
      return { left: name.left - frame.getBoundingClientRect().left, scrolled: frame.scrollLeft };
    });
    expect(place.left).toBeLessThan(100);
    expect(place.scrolled).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
