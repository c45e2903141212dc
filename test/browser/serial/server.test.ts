import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChrome } from '../../../tools/setup/chrome.mjs';
import { launchChrome } from '../../../tools/start/headless.mjs';
import { canBuildQuiche, ensureQuicheServer } from '../../../tools/setup/rust.mjs';
import { startServer } from '../../../tools/start/server.mjs';
import { connectAndFetch, type Fetched, type FetchOptions } from '../support/voxel-fetch.js';

const FILE_BYTES = 6_000_000;
const content = randomBytes(FILE_BYTES);
/** Out of order and of all sizes, as in a real segment; half-open. */
const RANGES: [number, number][] = [
  [1_000_000, 3_000_000],
  [20, 21],
  [500_000, 500_700],
  [5_999_000, FILE_BYTES],
  [0, 20],
];
const ranges = RANGES.map(([start, end]) => `${start}-${end - 1}`).join(',');
const expected = Buffer.concat(RANGES.map(([start, end]) => content.subarray(start, end)));
const expectedDigest = digest(expected);

/** Of the quiche server where it is not built yet. */
const BUILD_TIMEOUT_MS = 1_200_000;

/** Path of the program; undefined: the default. */
const SERVERS: [name: string, program: () => Promise<string | undefined>][] = [
  ['voxel-serve', () => Promise.resolve(undefined)],
  ['voxel-quiche', ensureQuicheServer],
];

let folder: string;
let browser: Browser;
let page: Page;

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voxel-serve-'));
  writeFileSync(join(folder, 'media.bin'), content);
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>test</title>');
  browser = await launchChrome(findChrome()!);
  page = await browser.newPage();
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

function fetchInPage(options: FetchOptions): Promise<Fetched> {
  return page.evaluate(connectAndFetch, options);
}

describe.each(SERVERS)('%s and Chromium', (name, program) => {
  if (name === 'voxel-quiche' && !canBuildQuiche()) {
    console.warn('left out: voxel-quiche needs cargo, cmake, c++ and libclang');
    it.skip('needs cargo, cmake, c++ and libclang');
    return;
  }

  beforeAll(async () => {
    const server = await startServer([folder, '--http-port', '0', '--quic-port', '0'], await program());
    await page.goto(server.ready.url);
    return () => server.stop();
  }, BUILD_TIMEOUT_MS);

  it('agrees on voxel-1 with the certificate of the discovery file', async () => {
    const { protocol, status } = await fetchInPage({ target: '/media.bin', ranges });
    expect(protocol).toBe('voxel-1');
    expect(status).toBe('HTTP/1.1 206 Partial Content');
  });

  it('sends ranges reliably in request order', async () => {
    const fetched = await fetchInPage({ target: '/media.bin', ranges });
    expect(fetched.headers['content-length']).toBe(String(expected.length));
    expect(fetched.digest).toBe(expectedDigest);
  });

  it('sends ranges as datagrams, of which each that comes holds its bytes, and says what it has sent', async () => {
    const fetched = await fetchInPage({ target: '/media.bin', ranges, flow: 17 });
    expect(fetched.headers).toMatchObject({
      'x-voxel-unreliable': '?1;flow=17',
      'x-voxel-length': String(expected.length),
    });
    const [, sent] = new RegExp(`^${expected.length};datagrams=(\\d+)$`).exec(fetched.trailers['x-voxel-sent']!)!;
    expect(Number(fetched.trailers['x-voxel-rtt'])).toBeGreaterThanOrEqual(0);
    // A burst of this size may overflow a socket's buffer: datagrams may be lost, but none twice and none out of place.
    const places = new Set(fetched.datagrams.map(([offset]) => offset));
    const bytes = fetched.datagrams.reduce((sum, [, length]) => sum + length, 0);
    expect(places.size).toBe(fetched.datagrams.length);
    expect(fetched.datagrams.length).toBeLessThanOrEqual(Number(sent));
    expect(bytes).toBeGreaterThan(expected.length / 2);
    if (fetched.datagrams.length === Number(sent)) expect(bytes).toBe(expected.length);
    const received = Buffer.alloc(expected.length);
    for (const [offset, length] of fetched.datagrams) expected.copy(received, offset, offset, offset + length);
    expect(fetched.digest).toBe(digest(received));
    console.log(`datagrams server → Chromium: ${fetched.megabitsPerSecond.toFixed(0)} Mbit/s`);
  });

  it('answers a bad request on its stream and keeps the session', async () => {
    const fetched = await fetchInPage({ target: '/absent.bin', ranges: '0-1', then: '/media.bin' });
    expect(fetched.status).toBe('HTTP/1.1 404 Not Found');
    expect(fetched.secondStatus).toBe('HTTP/1.1 206 Partial Content');
  });
});
