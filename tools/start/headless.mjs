// @ts-check
import puppeteer from 'puppeteer-core';
import { UserError } from '../setup/process.mjs';

/** QUIC stays on; the rest keeps a fresh profile quiet and lets a muted video start by itself. */
const CHROME_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
  // Else the popup of an address bar that nobody sees is drawn ahead: Chromium 156 takes half a second of a processor for it, a third of its start.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
];
/** Playing may take this many times the played time (stalls), and this much longer for the start, before it has failed. */
const PATIENCE = { factor: 4, seconds: 60 };

/**
 * @param {string} chrome path @param {string[]} [flags] beside the usual ones
 * @returns {Promise<import('puppeteer-core').Browser>}
 */
export function launchChrome(chrome, flags = []) {
  return puppeteer.launch({ executablePath: chrome, headless: true, pipe: true, args: [...CHROME_FLAGS, ...flags] });
}

/** Seconds of the video so far; a live stream has begun long before it is played. @param {Pick<import('../../demo/report.js').Report, 'chunks' | 'playedSeconds' | 'position'>} report */
export function playedOf({ chunks, playedSeconds, position }) {
  return chunks === null ? position : playedSeconds;
}

/**
 * Plays the page to `seconds` of the video, to its end, or until `hasFailed`, and returns the page's report.
 * @param {{ chrome: string, url: string, seconds: number | undefined, screenshot: string | undefined,
 *   hasFailed: () => boolean, onProgress: (played: number) => void }} settings
 * @returns {Promise<import('../../demo/report.js').Report>}
 */
export async function playHeadless({ chrome, url, seconds, screenshot, hasFailed, onProgress }) {
  const browser = await launchChrome(chrome);
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 1400 });
    await page.goto(url);
    await page.waitForFunction('window.voxelDemo !== undefined', { timeout: 20_000 });
    const started = Date.now();
    for (;;) {
      const { played, duration, isOver } = await page.evaluate(() => {
        const { chunks, playedSeconds, position, duration, errors, ended } = window.voxelDemo.report();
        const played = { chunks, playedSeconds, position };
        return { played, duration, isOver: ended || errors.length > 0 };
      });
      const seen = playedOf(played);
      onProgress(seen);
      const done = isOver || (seconds !== undefined && seen >= seconds) || hasFailed();
      const expected = seconds ?? duration ?? 0;
      if (done || Date.now() - started > 1000 * (PATIENCE.seconds + PATIENCE.factor * expected)) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const report = await page.evaluate(() => window.voxelDemo.report());
    if (screenshot !== undefined) await page.screenshot({ path: screenshot, fullPage: true });
    return report;
  } catch (error) {
    throw new UserError(`headless Chrome failed: ${error instanceof Error ? error.message : String(error)}`, 1);
  } finally {
    await browser.close();
  }
}
