import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type {} from '../../demo/check/main.js';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { prepareVideo } from '../../tools/start/prepare.mjs';
import { startRelay } from '../../tools/start/relay.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { barriers, keyboardBarriers } from './support/accessible.js';

/** A folder for pictures of the page, to look at. */
const PICTURES = process.env.VOXEL_SCREENSHOTS;
const PAGE = join(root, 'dist/demo');
const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

type VoxelServer = Awaited<ReturnType<typeof startServer>>;

let media: string;
let server: VoxelServer;
let browser: Browser;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  await ensureBuild();
  // The same as the demo's test has: prepared once.
  media = await prepareVideo({ video: undefined, duration: 24, representations: '144p,240p:0.37' });
  server = await serve();
  browser = await launchChrome(findChrome()!);
}, 600_000);

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
});

const serve = (...options: string[]): Promise<VoxelServer> =>
  startServer([PAGE, '--mount', `/media=${media}`, '--http-port', '0', '--quic-port', '0', ...options]);

/** Somebody else's web server with the page and a voxel.json that names `endpoint`. Returns its address. */
async function elsewhere(endpoint: string, hashes: readonly string[], policy?: string): Promise<string> {
  const answer = JSON.stringify({ endpoint, certificateHashes: hashes, versions: ['voxel-1'] });
  const web: Server = createServer(({ url = '/' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    if (pathname === '/.well-known/voxel.json') return response.end(answer);
    const type = TYPES[extname(pathname)];
    if (type === undefined) return response.writeHead(404).end();
    if (policy !== undefined) response.setHeader('content-security-policy', policy);
    return response.setHeader('content-type', type).end(readFileSync(join(PAGE, pathname)));
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  closing.push(() => web.close());
  return `http://127.0.0.1:${(web.address() as AddressInfo).port}/check.html`;
}

/** What the page finds: its summary and its report. */
async function checked(
  url: string,
  picture: string,
  prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
  own = browser,
): Promise<{ summary: string; report: string }> {
  const page = await own.newPage();
  closing.push(() => page.close());
  await page.setViewport({ width: 1280, height: 900 });
  await prepare(page);
  await page.goto(url);
  await page.waitForFunction(() => window.webTransportCheck?.isDone, { timeout: 60_000 });
  for (const value of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    expect(await barriers(page), value).toEqual([]);
  }
  expect(await keyboardBarriers(page)).toEqual([]);
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `${picture}.png`), fullPage: true });
  return page.evaluate(() => ({
    summary: document.querySelector('#summary')!.textContent,
    report: window.webTransportCheck!.report,
  }));
}

const pageOf = ({ ready }: VoxelServer): string => new URL('/check.html', ready.url).href;

describe('the page that tries WebTransport says', () => {
  it('that everything works where it does', async () => {
    const { summary, report } = await checked(pageOf(server), 'works');
    expect(report).not.toMatch(/\[ (fails|not tried|unknown|warning) \]/);
    expect(report).toContain('100.0 % of 200000 bytes');
    expect(summary).toBe('Yes: videos come over WebTransport here.');
  });

  it('that the server is off', async () => {
    const off = await serve();
    await off.stop();
    const url = `${pageOf(server)}?manifest=${encodeURIComponent(new URL('/media/manifest.mpd', off.ready.url).href)}`;
    const { report } = await checked(url, 'server-off');
    expect(report).toMatch(/\[ fails \] The server says where .*: no answer\n.*The server is off/);
  });

  it('that UDP does not get through', async () => {
    const relay = await startRelay({ lossPercent: 100, seed: 1 });
    closing.push(() => relay.close());
    relay.connect(server.ready.quicPort);
    const endpoint = `https://127.0.0.1:${relay.port}/voxel`;
    const { report } = await checked(await elsewhere(endpoint, server.ready.certificateHashes), 'udp-blocked');
    expect(report).toMatch(
      new RegExp(`\\[ fails \\] A session opens.*no answer within.*\\n.*UDP port ${relay.port} is blocked`),
    );
  });

  it('that the certificate is another one', async () => {
    const wrong = Buffer.alloc(32, 7).toString('base64');
    const { report } = await checked(await elsewhere(server.ready.endpoint, [wrong]), 'wrong-certificate');
    expect(report).toMatch(
      /\[ fails \] A session opens.*ended the handshake.*\n.*First UDP port \d+: .* Then the certificate: its SHA-256/,
    );
  });

  it('that the server does not allow the page: of its own address, and of another', async () => {
    const strict = await serve('--allow-origin', 'https://player.example');
    closing.push(() => strict.stop());
    const own = await checked(pageOf(strict), 'forbidden-origin');
    expect(own.report).toMatch(/\[ fails \] This page may use the server.*\n.*--allow-origin http:\/\/127\.0\.0\.1:/);
    const manifest = encodeURIComponent(new URL('/media/manifest.mpd', strict.ready.url).href);
    const other = await checked(`${pageOf(server)}?manifest=${manifest}`, 'forbidden-origin-other');
    expect(other.report).toMatch(/\[ fails \] The server says where .*answers, but not to pages of http/);
  });

  it("that the page's own policy forbids the session", async () => {
    const url = await elsewhere(server.ready.endpoint, server.ready.certificateHashes, "connect-src 'self'");
    const { report } = await checked(url, 'content-policy');
    expect(report).toMatch(/\[ fails \] A session opens.*Content-Security-Policy \(connect-src\) forbids/);
  });

  it('that the browser has no WebTransport', async () => {
    const { summary, report } = await checked(pageOf(server), 'no-webtransport', (page) =>
      page.evaluateOnNewDocument(() => Reflect.deleteProperty(window, 'WebTransport')),
    );
    expect(report).toMatch(/\[ fails \] This browser has WebTransport: there is no WebTransport here/);
    expect(summary).toBe('No: this browser has no WebTransport.');
  });
});

describe('a rehearsal at https://localhost, with a certificate that one has made', () => {
  /** As docs/tutorials/deploy.md makes it, and the server's options for it. */
  function certificate(days: number): { options: string[]; publicKey: string } {
    const folder = mkdtempSync(join(tmpdir(), 'voxel-rehearsal-'));
    closing.push(() => rmSync(folder, { recursive: true }));
    const [key, chain] = [join(folder, 'key.pem'), join(folder, 'chain.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const files = ['-keyout', key, '-out', chain];
    execFileSync('openssl', ['req', '-x509', ...curve, '-days', String(days), ...name, ...files], { stdio: 'ignore' });
    const spki = new X509Certificate(readFileSync(chain)).publicKey.export({ type: 'spki', format: 'der' });
    const publicKey = createHash('sha256').update(spki).digest('base64');
    return { options: ['--certificate', chain, '--key', key], publicKey };
  }

  async function rehearsed(days: number, host: string, flag: (publicKey: string) => string) {
    const { options, publicKey } = certificate(days);
    const server = await serve('--host', host, ...options);
    closing.push(() => server.stop());
    // As a person does who goes past the browser's warning.
    const own = await launchChrome(findChrome()!, [flag(publicKey)]);
    closing.push(() => own.close());
    const url = `https://localhost:${new URL(server.ready.url).port}/check.html`;
    return checked(url, `rehearsal-${days}`, undefined, own);
  }

  it.each(['0.0.0.0', '::'])('works while it is short-lived, on all addresses (%s)', async (host) => {
    const { summary } = await rehearsed(10, host, (key) => `--ignore-certificate-errors-spki-list=${key}`);
    expect(summary).toBe('Yes: videos come over WebTransport here.');
  });

  it('does not with one of a month, and the page says which certificate does', async () => {
    const { report } = await rehearsed(30, '::', () => '--ignore-certificate-errors');
    expect(report).toMatch(/no certificate hash: browsers must trust/);
    expect(report).toMatch(/\[ fails \] A session opens.*\n.*of a public authority.*at most 14 days/);
  });
});
