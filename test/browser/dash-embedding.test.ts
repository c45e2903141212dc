import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import type { VoxelSummary } from '../../player/index.js';
import type {} from '../../player/element/index.js';
import { root } from '../../tools/setup/paths.mjs';
import { installPackages, type Consumer } from '../package/support/consumer.js';
import { prepareClip } from './support/clip.js';
import { startHttpRelay } from './support/http-relay.js';
import { servePlayerPage } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const SCRIPTS = '<script src="/dashjs/dash.all.min.js"></script><script src="/dist/umd/voxel-video.js"></script>';
const clip = { seconds: 10, segmentSeconds: 2 };

/** Where pages have what a project has installed: the package as it is packed, the players and the controls. */
function installed(): string[] {
  consumer = installPackages('voxel-dash');
  const packages = {
    'voxel-dash': join(consumer.folder, 'node_modules/voxel-dash'),
    ...Object.fromEntries(['dashjs', 'hls.js', 'media-chrome'].map((name) => [name, join(root, 'node_modules', name)])),
  };
  return Object.entries(packages).flatMap(([name, folder]) => ['--mount', `/node_modules/${name}=${folder}`]);
}

let consumer: Consumer;
let page: Page;
let problems: string[];

const stage = playerStage(async (folder) => {
  const pages = join(folder, 'pages');
  const media = await prepareClip(folder, clip);
  cpSync(media, join(folder, 'other'), { recursive: true });
  mkdirSync(pages);
  writeFileSync(join(pages, 'empty.html'), SCRIPTS);
  for (const [name, html] of documentedPages()) writeFileSync(join(pages, `${name}.html`), html);
  return servePlayerPage(
    folder,
    media,
    ...['--mount', `/pages=${pages}`, '--mount', `/other=${join(folder, 'other')}`],
    ...installed(),
  );
});

afterAll(() => consumer.remove());

beforeEach(async () => {
  page = await stage.browser.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  return () => page.close();
});

/** The examples of docs/EMBEDDING.md by their names. */
function documentedPages(): [name: string, html: string][] {
  const text = readFileSync(join(root, 'docs/EMBEDDING.md'), 'utf8');
  return [...text.matchAll(/```html\n<!-- example: (\w+) -->\n(.*?)```/gs)].map(([, name, html]) => [name!, html!]);
}

function open(name: string) {
  return page.goto(new URL(`/pages/${name}.html`, stage.server.ready.url).href);
}

/** Playback has passed `seconds`, in a video of the page or in the element's. */
async function playTo(seconds: number): Promise<void> {
  await page.waitForFunction(
    (limit) => {
      const element = document.querySelector('voxel-video');
      return (element?.video ?? document.querySelector('video')!).currentTime >= limit;
    },
    { timeout: 30_000 },
    seconds,
  );
}

/** Requests for WebTransport's discovery show that the plugin is at work. */
function discoveries(): Promise<number> {
  return page.evaluate(
    () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/voxel.json')).length,
  );
}

describe('docs/EMBEDDING.md', () => {
  test('has the examples that are run here', () => {
    expect(documentedPages().map(([name]) => name)).toEqual([
      'attach',
      'modules',
      'element',
      'controls',
      'hls',
      'summary',
    ]);
  });

  it.each(documentedPages().map(([name]) => name))('example "%s" plays with the plugin', async (name) => {
    await open(name);
    await playTo(1);
    expect(await discoveries()).toBe(1);
    expect(problems).toEqual([]);
  });
});

describe('the example of what viewers had', () => {
  interface Beacon extends VoxelSummary {
    readonly playback: string;
    readonly reason: string;
  }

  /** Opens the example at a host that keeps what is posted; gives what its beacons said so far. */
  async function openWithBeacons(): Promise<() => Beacon[]> {
    const relay = await startHttpRelay(stage.server.ready.url);
    onTestFinished(() => relay.close());
    await page.goto(new URL('pages/summary.html', relay.url).href);
    return () => relay.posted.filter(({ path }) => path === '/beacon').map(({ body }) => JSON.parse(body) as Beacon);
  }

  it('sends it at the end, and not once more when the page is left', async () => {
    const beacons = await openWithBeacons();
    await vi.waitUntil(() => beacons().length > 0, { timeout: 60_000 });
    await page.goto(new URL('/pages/empty.html', stage.server.ready.url).href);
    expect(beacons()).toMatchObject([{ reason: 'ended', seeks: { count: 0, seconds: 0 } }]);
    const [{ startup, watchedSeconds, picturesPerSecond, score, bytes }] = beacons() as [Beacon];
    expect(startup).toBeGreaterThan(0);
    expect(watchedSeconds).toBeGreaterThan(0);
    expect(picturesPerSecond).toBeGreaterThan(0);
    expect(score!.p10).toBeLessThanOrEqual(score!.mean);
    expect(bytes.datagrams + bytes.streams + bytes.http).toBeGreaterThan(0);
  });

  it('sends it when the page is left', async () => {
    const beacons = await openWithBeacons();
    await playTo(1);
    await page.evaluate(() => void (document.querySelector('video')!.currentTime = 7));
    await playTo(7.2);
    await page.goto(new URL('/pages/empty.html', stage.server.ready.url).href);
    await vi.waitUntil(() => beacons().length > 0, { timeout: 20_000 });
    expect(beacons()).toMatchObject([{ reason: 'pagehide', seeks: { count: 1 } }]);
    expect(beacons()[0]!.seeks.seconds).toBeGreaterThan(0);
  });
});

describe('<voxel-video>', () => {
  /** What happens to the element, as the page sees it. */
  async function openElement(attributes: string): Promise<void> {
    await open('element');
    await page.evaluate((text) => {
      document.querySelector('voxel-video')!.remove();
      document.body.insertAdjacentHTML('beforeend', `<voxel-video muted ${text}></voxel-video>`);
    }, attributes);
  }

  const element = () => page.waitForSelector('voxel-video');

  it('takes the plugin’s options from its attributes, and passes its events on', async () => {
    await open('element');
    const events = await page.evaluate(async () => {
      const video = document.createElement('voxel-video');
      const events: string[] = [];
      for (const type of ['playing', 'voxelsession', 'voxeldelivered'])
        video.addEventListener(type, () => events.push(type));
      const delivered = new Promise<string>((resolve) => {
        video.addEventListener('voxeldelivered', (event) => {
          const { record } = (event as CustomEvent<{ record: { delivery: string } }>).detail;
          if (record.delivery === 'streams') resolve(record.delivery);
        });
      });
      for (const [name, value] of Object.entries({
        muted: '',
        autoplay: '',
        delivery: 'streams',
        'buffer-segments': '1',
      }))
        video.setAttribute(name, value);
      video.src = '/media/manifest.mpd';
      document.querySelector('voxel-video')!.replaceWith(video);
      await delivered;
      while (!events.includes('playing')) await new Promise((resolve) => setTimeout(resolve, 50));
      return events;
    });
    expect(new Set(events)).toEqual(new Set(['playing', 'voxelsession', 'voxeldelivered']));
  });

  it('plays another manifest when its src changes, and goes on when it is moved', async () => {
    await openElement('src="/media/manifest.mpd" autoplay');
    await playTo(1);
    await page.evaluate(() => {
      const element = document.querySelector('voxel-video')!;
      const { player } = element;
      document.body.prepend(element);
      if (element.player !== player) throw new Error('moving made another player');
    });
    await playTo(2);
    const source = await (await element())!.evaluate(async (video) => {
      video.src = '/other/manifest.mpd';
      await new Promise((resolve) => video.addEventListener('playing', resolve, { once: true }));
      return String((video.player as unknown as { getSource(): unknown }).getSource());
    });
    expect(source).toBe('/other/manifest.mpd');
    expect(problems).toEqual([]);
  });

  it('gives everything back when it is taken off the page, and says what viewers had', async () => {
    await openElement('src="/media/manifest.mpd" autoplay');
    await playTo(1);
    const left = await (await element())!.evaluate(async (video) => {
      const reasons: string[] = [];
      video.addEventListener('voxelsummary', (event) =>
        reasons.push((event as CustomEvent<{ reason: string }>).detail.reason),
      );
      const { watchedSeconds } = video.voxel!.summary();
      video.remove();
      await Promise.resolve();
      return [typeof video.player, typeof video.voxel, ...reasons, watchedSeconds > 0];
    });
    expect(left).toEqual(['undefined', 'undefined', 'detached', true]);
    expect(problems).toEqual([]);
  });

  it('plays with dash.js alone, and says so, when an attribute is no option', async () => {
    await open('empty');
    const message = await page.evaluate(async () => {
      const element = document.createElement('voxel-video');
      const failed = new Promise<string>((resolve) => {
        element.addEventListener('error', (event) => resolve(event.message));
      });
      for (const [name, value] of Object.entries({ muted: '', autoplay: '', 'buffer-segments': '0' }))
        element.setAttribute(name, value);
      element.src = '/media/manifest.mpd';
      document.body.append(element);
      return failed;
    });
    expect(message).toBe('bufferSegments must be a positive number, got 0');
    await playTo(1);
  });

  it('is one element on a page that has it as a script and as a module, and plays with the dash.js that either was given', async () => {
    await open('empty');
    await page.addScriptTag({
      type: 'module',
      content: `import { defineVoxelVideo } from '/dist/voxel-video.js';
        const { dashjs } = window;
        delete window.dashjs;
        window.scripts = customElements.get('voxel-video');
        defineVoxelVideo(dashjs);
        defineVoxelVideo();
        document.body.innerHTML = '<voxel-video muted autoplay src="/media/manifest.mpd"></voxel-video>';`,
    });
    await page.waitForSelector('voxel-video');
    const registered = await page.evaluate(
      () => (window as unknown as { scripts: unknown }).scripts === customElements.get('voxel-video'),
    );
    expect(registered).toBe(true);
    await playTo(1);
    expect(problems).toEqual([]);
  });

  it('says so where there is no dash.js', async () => {
    await open('empty');
    const code = await page.evaluate(async () => {
      Reflect.deleteProperty(window, 'dashjs');
      const element = document.createElement('voxel-video');
      const failed = new Promise<string>((resolve) => {
        element.addEventListener('error', ({ error }) => resolve((error as { code: string }).code));
      });
      element.src = '/media/manifest.mpd';
      document.body.append(element);
      return failed;
    });
    expect(code).toBe('no-dashjs');
  });
});
