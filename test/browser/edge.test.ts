import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { canBuildQuiche, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { prepareClip } from './support/clip.js';
import { hasNginx, NGINX_MISSING, startNginx, type Nginx } from './support/nginx.js';
import { openPage, outcomeOf, PAGE, playToEnd, startPlayer } from './support/player-page.js';

const clip = { seconds: 10, segmentSeconds: 2 };
const SEGMENTS = clip.seconds / clip.segmentSeconds;
/** Segments that may be asked for before the session is open, and come over HTTP. */
const EARLY = 2;

/** Of the quiche server where it is not built yet. */
const BUILD_TIMEOUT_MS = 1_200_000;

type Edge = Awaited<ReturnType<typeof startServer>>;

const missing = [
  !hasNginx() && NGINX_MISSING,
  !canBuildQuiche() && 'voxel-quiche needs cargo, cmake, c++ and libclang',
];
const reason = missing.find((it) => it !== false);
if (reason !== undefined) console.warn(`left out: ${reason}`);

describe.skipIf(reason !== undefined)('a plain nginx with an ordinary folder, and an edge in front of it', () => {
  let folder: string;
  let media: string;
  let nginx: Nginx;
  let edge: Edge;
  let browser: Browser;

  beforeAll(async () => {
    await ensureBuild();
    folder = mkdtempSync(join(tmpdir(), 'voxel-edge-'));
    media = await prepareClip(folder, clip);
    const site = ordinarySite(folder, media);
    mkdirSync(join(folder, 'nginx'));
    nginx = await startNginx(join(folder, 'nginx'), site);
    const program = await ensureQuicheServer();
    const ports = ['--http-port', '0', '--quic-port', '0'];
    edge = await startServer(['--origin', nginx.url, ...ports, '--cache-dir', join(folder, 'cache')], program);
    browser = await launchChrome(findChrome()!);
  }, BUILD_TIMEOUT_MS);

  afterAll(async () => {
    await browser.close();
    await edge.stop();
    await nginx.stop();
    rmSync(folder, { recursive: true });
  });

  async function play() {
    const page = await openPage(browser, edge.ready.url);
    try {
      await startPlayer(page, { bufferSegments: 1 });
      await playToEnd(page, { seconds: 3 });
      return await outcomeOf(page);
    } finally {
      await page.close();
    }
  }

  it('play over WebTransport with dash.js and the plugin, in datagrams', async () => {
    const outcome = await play();
    expect(outcome).toMatchObject({ errors: [], ended: true });
    const overDatagrams = outcome.statistics!.segments.filter(({ delivery }) => delivery === 'datagrams');
    expect(overDatagrams.length).toBeGreaterThanOrEqual(SEGMENTS - EARLY);
  });

  it('play on from what is kept after nginx is gone, and say of the rest why there is none', async () => {
    const rest = new URL('media/not-asked-for.mp4', edge.ready.url);
    for (const name of readdirSync(media)) await (await fetch(new URL(`media/${name}`, edge.ready.url))).arrayBuffer();
    await nginx.stop();
    expect(await play()).toMatchObject({ errors: [], ended: true });
    const refused = await fetch(rest);
    expect(refused.status).toBe(502);
    expect(await refused.text()).toBe('the origin cannot be reached: Connection refused\n');
    const ofMedia = nginx.requests().filter(({ path }) => path.startsWith('/media/') && path.endsWith('.mp4'));
    const bytes = ofMedia.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
    const videos = readdirSync(media).filter((name) => name.endsWith('.mp4'));
    expect(bytes).toBe(videos.reduce((sum, name) => sum + statSync(join(media, name)).size, 0));
  });
});

/** What somebody's web server has: a page with dash.js and the plugin, and a film. */
function ordinarySite(folder: string, media: string): string {
  const site = join(folder, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), PAGE);
  cpSync(media, join(site, 'media'), { recursive: true, preserveTimestamps: true });
  symlinkSync(join(root, 'dist'), join(site, 'dist'));
  symlinkSync(join(root, 'node_modules/dashjs/dist/modern/umd'), join(site, 'dashjs'));
  return site;
}
