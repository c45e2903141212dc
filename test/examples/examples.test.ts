import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'puppeteer-core';
import { build, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { startServer } from '../../tools/start/server.mjs';
import type {} from '../../player/element/index.js';
import { prepareClip } from '../browser/support/clip.js';
import { playerStage } from '../browser/support/player-stage.js';
import { installPackages, readManifest, type Consumer } from '../package/support/consumer.js';

const examples = join(root, 'examples');
/** What each example plays, from `npm start` in a checkout: the one line that a newcomer changes. */
const MEDIA_ORIGIN = 'http://localhost:8080';

const serveMedia = (media: string) =>
  startServer([media, '--mount', `/media=${media}`, '--http-port', '0', '--quic-port', '0']);

const stage = playerStage(async (folder) => serveMedia(await prepareClip(folder, { seconds: 20, segmentSeconds: 2 })));

let consumer: Consumer;
const stops: (() => unknown)[] = [];

// The examples in one folder, with the packages as `npm install` would put them into each.
beforeAll(() => {
  consumer = installPackages('voxel-dash', 'voxel-repair');
  stops.push(() => consumer.remove());
  const packages = join(consumer.folder, 'node_modules');
  for (const name of ['media-chrome', 'mp4box', 'react', 'react-dom', 'vite'])
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  cpSync(examples, consumer.folder, { recursive: true });
  for (const name of ['script', 'element', 'media-chrome', 'hls', 'webcodecs'])
    symlinkSync(packages, join(consumer.folder, name, 'node_modules'));
});

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

/** Makes the example play a server's media, which the file names once. */
function setMediaOrigin(file: string, { ready } = stage.server): void {
  const path = join(consumer.folder, file);
  const parts = readFileSync(path, 'utf8').split(MEDIA_ORIGIN);
  expect(parts, `${file} names its media once`).toHaveLength(2);
  writeFileSync(path, parts.join(new URL(ready.url).origin));
}

/** Serves the example's files as they are; returns the page's address. */
async function serveFiles(name: string): Promise<string> {
  const args = ['-u', '-m', 'http.server', '0', '--bind', '127.0.0.1'];
  const child = spawn(venvProgram('python'), args, {
    cwd: join(consumer.folder, name),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  stops.push(() => child.kill());
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return `http://127.0.0.1:${/port (\d+)/.exec(line)![1]}/`;
}

/** `npm run build` and `npm run preview` of the example; returns the page's address. */
async function buildAndPreview(name: string): Promise<string> {
  const config = { root: join(consumer.folder, name), logLevel: 'error' } as const;
  await build({ ...config, build: { chunkSizeWarningLimit: Infinity } });
  const server = await preview({ ...config, preview: { port: 0, host: '127.0.0.1' } });
  stops.push(() => server.close());
  return `http://127.0.0.1:${(server.httpServer.address() as AddressInfo).port}/`;
}

const PLAYERS = {
  script: { media: 'script/index.html', serve: serveFiles },
  element: { media: 'element/index.html', serve: serveFiles },
  'media-chrome': { media: 'media-chrome/index.html', serve: serveFiles },
  hls: { media: 'hls/index.html', serve: serveFiles },
  vite: { media: 'vite/src/main.js', serve: buildAndPreview },
  react: { media: 'react/src/main.jsx', serve: buildAndPreview },
};

/** Plays without dash.js, with `voxel-repair`. */
const WEBCODECS = 'webcodecs';
const EXAMPLES = [...Object.keys(PLAYERS), WEBCODECS];

test('every example is played here', () => {
  const folders = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...EXAMPLES].sort());
});

test.each(EXAMPLES)('examples/%s asks for the versions that are tested here', (name) => {
  const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<string, object>;
  const { dependencies, devDependencies } = read(`examples/${name}/package.json`);
  const { version, devDependencies: tested } = readManifest();
  expect({ 'voxel-dash': version, 'voxel-repair': version, ...(tested as object) }).toMatchObject({
    ...dependencies,
    ...devDependencies,
  });
});

function playTo(page: Page, seconds: number): Promise<unknown> {
  return page.waitForFunction(
    (limit) => {
      const video = document.querySelector('voxel-video')?.video ?? document.querySelector('video');
      return video !== null && video.currentTime >= limit;
    },
    { timeout: 60_000, polling: 100 },
    seconds,
  );
}

/** Waits for the line of a segment that came over the session. */
function untilOverSession(page: Page): Promise<unknown> {
  return page.waitForFunction(
    () => /segment \d: (datagrams|streams), score [01]\.\d/.test(document.querySelector('#log')?.textContent ?? ''),
    { timeout: 60_000, polling: 100 },
  );
}

test.each(Object.entries(PLAYERS))('examples/%s plays over WebTransport', async (name, { media, serve }) => {
  setMediaOrigin(media);
  const page = await stage.browser.newPage();
  const problems: unknown[] = [];
  page.on('pageerror', (error) => problems.push(error));
  await page.goto(await serve(name));
  // Those with which the buffer fills at first, seven segments of two seconds, may take HTTP while the session is being opened.
  await Promise.all([playTo(page, 3), untilOverSession(page)]).catch((error: unknown) => problems.push(error));
  const log = await page.$eval('#log', ({ textContent }) => textContent);
  expect(problems, log).toEqual([]);
  await page.close();
});

describe('examples/webcodecs', () => {
  // Segments of 13 frames.
  const SEGMENTS = 20;
  const clip = { seconds: 10.4, segmentSeconds: 0.52, representations: '240p:0.37' };
  let server: Awaited<ReturnType<typeof serveMedia>>;

  beforeAll(async () => {
    server = await serveMedia(await prepareClip(mkdtempSync(join(stage.folder, 'webcodecs-')), clip));
    setMediaOrigin('webcodecs/main.js', server);
  });

  afterAll(() => server.stop());

  it(`decodes ${SEGMENTS} repaired segments without an error of the decoder`, async () => {
    const page = await stage.browser.newPage();
    const problems: unknown[] = [];
    page.on('pageerror', (error) => problems.push(error));
    await page.goto(await serveFiles(WEBCODECS));
    await page.select('[name=types]', 'PB');
    await page.click('button');
    await page.waitForFunction(() => /played|failed/.test(document.querySelector('#log')!.textContent), {
      timeout: 120_000,
      polling: 100,
    });
    const log = await page.$eval('#log', ({ textContent }) => textContent);
    expect(problems, log).toEqual([]);
    const repaired = [...log.matchAll(/^segment \d+: \d+ % of the bytes lost, (\d+) of 13 frames repaired$/gm)];
    expect(
      repaired.filter(([, frames]) => Number(frames) > 0),
      log,
    ).toHaveLength(SEGMENTS);
    expect(log).toMatch(RegExp(`^played ${SEGMENTS} segments, ${SEGMENTS * 13} pictures, \\d+ of them repaired$`, 'm'));
    await page.close();
  });
});
