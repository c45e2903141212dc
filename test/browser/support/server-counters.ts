import type { Page } from 'puppeteer-core';
import { expect } from 'vitest';
import type { Ready } from '../../../tools/start/server.mjs';

/** What the server has been asked for and has sent; over HTTP/1.1 come the page's own files, too. */
const COUNTERS = /^voxel_(requests_total\{.*transport="(?!http1)|datagram_bytes_total|sessions )/;

/** Those lines of the server's counters whose names begin with `prefix`. */
export async function serverCounters({ metrics }: Ready, prefix = 'voxel_'): Promise<string> {
  if (metrics === null) throw new Error('the server has no counters');
  const response = await fetch(metrics);
  const lines = (await response.text()).split('\n');
  return lines.filter((line) => line.startsWith(prefix) && COUNTERS.test(line)).join('\n');
}

/** Nobody asks the server for anything, and it sends nothing, once a paused player's buffer is full. */
export async function expectNoOrphanRequest(page: Page, ready: Ready): Promise<void> {
  await page.evaluate(() => window.players.forEach(({ video }) => video.pause()));
  let before = '';
  // Filling the buffer, and what is fetched again while it is full, end some time.
  await expect
    .poll(
      async () => {
        const now = await serverCounters(ready);
        const isQuiet = now === before;
        before = now;
        return isQuiet;
      },
      { interval: 1500, timeout: 60_000 },
    )
    .toBe(true);
}
