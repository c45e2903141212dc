import { rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { prepareClip } from './support/clip.js';
import { outcomeOfHls, playHlsToEnd, startHls } from './support/hls-page.js';
import { outcomeOf, playToEnd, startPlayer } from './support/player-page.js';
import { serveProtectedSite, writeManifestOfAnnexI } from './support/protected-site.js';

const clip = { seconds: 10, segmentSeconds: 2 };
const SEGMENTS = clip.seconds / clip.segmentSeconds;
/** The first comes over HTTP, and one more where the session opens late. */
const EARLY = 2;

/** Host of the endpoint, which is not the front's: the page names it. */
const SERVER = '127.0.0.1';

let folder: string;
let browser: Browser;
let site: Awaited<ReturnType<typeof serveProtectedSite>>;

beforeAll(async () => {
  await ensureBuild();
  folder = mkdtempSync(join(tmpdir(), 'voxel-protected-'));
  const media = await prepareClip(folder, clip);
  writeManifestOfAnnexI(media);
  site = await serveProtectedSite(folder, media);
  browser = await launchChrome(findChrome()!);
}, 600_000);

afterAll(async () => {
  await browser.close();
  await site.stop();
  rmSync(folder, { recursive: true });
});

beforeEach(() => void (site.asked.length = 0));

/** Opens a page of the site in a profile of its own, with these cookies. */
async function visit(path: string, run: (page: Page) => Promise<void>, ...cookies: string[]): Promise<void> {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    for (const cookie of cookies) {
      const [name = '', value = ''] = cookie.split('=');
      await context.setCookie({ name, value, domain: 'localhost', path: '/', httpOnly: true });
    }
    await page.goto(new URL(path, site.url).href);
    await run(page);
  } finally {
    await context.close();
  }
}

type Segments = readonly { readonly delivery: string }[];

function expectDatagrams(segments: Segments | undefined): void {
  const overDatagrams = segments!.filter(({ delivery }) => delivery === 'datagrams');
  expect(overDatagrams.length).toBeGreaterThanOrEqual(SEGMENTS - EARLY);
}

/** The plugin has asked for nothing without a credential. */
const expectNoRefusal = (): void => expect(site.asked.filter(({ isAllowed }) => !isAllowed)).toEqual([]);

describe('dash.js', () => {
  async function play(page: Page, manifest?: string, headerHosts = [SERVER]) {
    await startPlayer(page, { bufferSegments: 1, headerHosts }, manifest);
    await playToEnd(page, { seconds: 3 });
    return outcomeOf(page);
  }

  it.each([
    ['in a header', 'authorization'],
    ['in the address', 'query'],
  ])('plays over datagrams with a credential that an interceptor puts %s', async (_, way) => {
    await visit('/', async (page) => {
      await page.evaluate((way) => {
        window.preparePlayer = (player) =>
          player.addRequestInterceptor(((request: { url: string; headers: Record<string, string> }) => {
            if (way === 'query') request.url += `${request.url.includes('?') ? '&' : '?'}token=good`;
            else request.headers = { ...request.headers, authorization: 'Bearer good' };
            return Promise.resolve(request);
          }) as never);
      }, way);
      const outcome = await play(page);
      expect(outcome).toMatchObject({ errors: [], ended: true });
      expectDatagrams(outcome.statistics!.segments);
      expectNoRefusal();
    });
  });

  it('plays over datagrams with a token that the manifest has every request carry (Annex I)', async () => {
    await visit('/', async (page) => {
      const outcome = await play(page, '/media/annex-i.mpd?token=good');
      expect(outcome).toMatchObject({ errors: [], ended: true });
      expectDatagrams(outcome.statistics!.segments);
      expectNoRefusal();
    });
  });

  it('plays over datagrams from another origin with cookies that it asks for', async () => {
    await visit(
      new URL('/', site.otherUrl).href,
      async (page) => {
        await page.evaluate(() => {
          window.preparePlayer = (player) => player.setXHRWithCredentialsForType('', true);
        });
        const outcome = await play(page, `${site.url}/media/manifest.mpd`);
        expect(outcome).toMatchObject({ errors: [], ended: true });
        expectDatagrams(outcome.statistics!.segments);
        expectNoRefusal();
      },
      'session=good',
      'handout=1',
    );
  });

  it('gives no header to a host that the page has not named', async () => {
    await visit('/', async (page) => {
      await page.evaluate(() => {
        window.preparePlayer = (player) =>
          player.addRequestInterceptor(((request: { headers: Record<string, string> }) => {
            request.headers = { ...request.headers, authorization: 'Bearer good' };
            return Promise.resolve(request);
          }) as never);
      });
      const outcome = await play(page, undefined, []);
      expect(outcome).toMatchObject({ errors: [], ended: true });
      expect(outcome.fallbacks.map(({ code }) => code)).toContain('unauthorized');
      expect(site.asked.filter(({ isAllowed }) => !isAllowed).every(({ way }) => way === 'server')).toBe(true);
    });
  });

  it('plays over HTTP where there is a cookie alone, and says so', async () => {
    await visit(
      '/',
      async (page) => {
        const outcome = await play(page);
        expect(outcome).toMatchObject({ errors: [], ended: true });
        expect(outcome.statistics!.segments.every(({ delivery }) => delivery === 'http')).toBe(true);
        expect(outcome.fallbacks.map(({ code }) => code)).toContain('unauthorized');
      },
      'session=good',
    );
  });

  it('gets nothing without a credential, over HTTP or over a session', async () => {
    await visit('/', async (page) => {
      await startPlayer(page, { endpoint: endpointOf() });
      await page.waitForFunction(() => window.players[0]!.errors.length > 0);
      const { statistics } = await outcomeOf(page);
      expect(statistics!.segments).toEqual([]);
      expect(site.asked.filter(({ isAllowed }) => isAllowed)).toEqual([]);
      expect(await readBySession(page)).toMatch(/^HTTP\/1.1 401 /);
      expect(site.asked.at(-1)).toMatchObject({ way: 'server', isAllowed: false });
    });
  });
});

describe('hls.js', () => {
  async function play(page: Page) {
    await startHls(page, { headerHosts: [SERVER] }, 'hls.js');
    await playHlsToEnd(page, 3);
    return outcomeOfHls(page);
  }

  it.each([
    ['xhrSetup, in a header', 'header'],
    ['xhrSetup, in the address', 'query'],
    ['an asynchronous xhrSetup', 'late'],
    ['fetchSetup', 'fetch'],
    ['xhrSetup beside CMCD', 'cmcd'],
  ])('plays over datagrams with a credential of %s', async (_, way) => {
    await visit('/hls.html', async (page) => {
      await page.evaluate((way) => {
        const good = 'Bearer good';
        if (way === 'fetch') {
          window.hlsConfig = {
            progressive: true,
            fetchSetup: ({ url }, init: RequestInit) => {
              (init.headers as Headers).set('authorization', good);
              return new Request(url, init);
            },
          };
          return;
        }
        window.hlsConfig = {
          ...(way === 'cmcd' && { cmcd: { version: 2, useHeaders: true } }),
          xhrSetup: async (xhr, url) => {
            if (way === 'late') await new Promise((resolve) => setTimeout(resolve, 50));
            if (way === 'query') xhr.open('GET', `${url}?token=good`, true);
            else xhr.setRequestHeader('authorization', good);
          },
        };
      }, way);
      const outcome = await play(page);
      expect(outcome.ended).toBe(true);
      expectDatagrams(outcome.statistics!.segments);
      expectNoRefusal();
    });
  });

  it('gets nothing without a credential', async () => {
    await visit('/hls.html', async (page) => {
      await startHls(page, { endpoint: endpointOf() });
      await page.waitForFunction(() => window.hlsPlayer.errors.length > 0);
      expect((await outcomeOfHls(page)).statistics!.segments).toEqual([]);
      expect(site.asked.filter(({ isAllowed }) => isAllowed)).toEqual([]);
    });
  });
});

/** Where the server is, for those who find out in another way than by `voxel.json`. */
function endpointOf() {
  const { endpoint, certificateHashes } = site.ready;
  return { url: endpoint, certificateHashes };
}

/** The answer to a request of a session for a file that exists. */
function readBySession(page: Page): Promise<string> {
  return page.evaluate(async ({ url, certificateHashes }) => {
    const session = new WebTransport(url, {
      serverCertificateHashes: certificateHashes.map((hash) => ({
        algorithm: 'sha-256',
        value: Uint8Array.from(atob(hash), (character) => character.charCodeAt(0)),
      })),
    });
    await session.ready;
    const stream = await session.createBidirectionalStream();
    const writer = (stream.writable as WritableStream<Uint8Array>).getWriter();
    await writer.write(new TextEncoder().encode('GET /media/manifest.mpd HTTP/1.1\r\nhost: a\r\n\r\n'));
    await writer.close();
    const text = await new Response(stream.readable as ReadableStream<Uint8Array>).text();
    session.close();
    return text;
  }, endpointOf());
}
