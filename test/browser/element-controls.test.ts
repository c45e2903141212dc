import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type {} from '../../player/element/index.js';
import { root } from '../../tools/setup/paths.mjs';
import { prepareClip } from './support/clip.js';
import { servePlayerPage } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

/**
 * Its sound ends with its picture: where sound goes on for some milliseconds, dash.js 5.2.1 at times takes the end of the picture for
 * that of the presentation and seeks back from it, and no video ends.
 */
const clip = { seconds: 8, segmentSeconds: 2 };

const PAGE = `<!doctype html><title>controls</title>
<script src="/dashjs/dash.all.min.js"></script><script src="/dist/umd/voxel-video.js"></script>
<script src="/media-chrome/iife/index.js"></script>
<media-controller style="width: 800px; height: 450px">
  <voxel-video slot="media" src="/media/manifest.mpd" muted></voxel-video>
  <media-control-bar>
    <media-play-button></media-play-button><media-time-range></media-time-range>
    <media-time-display showduration></media-time-display>
    <media-mute-button></media-mute-button><media-volume-range></media-volume-range>
    <media-playback-rate-button></media-playback-rate-button>
  </media-control-bar>
</media-controller>`;

let page: Page;
let problems: string[];

const stage = playerStage(async (folder) => {
  const pages = join(folder, 'pages');
  mkdirSync(pages);
  writeFileSync(join(pages, 'controls.html'), PAGE);
  return servePlayerPage(
    folder,
    await prepareClip(folder, clip),
    ...['--mount', `/pages=${pages}`, '--mount', `/media-chrome=${join(root, 'node_modules/media-chrome/dist')}`],
  );
});

beforeEach(async () => {
  page = await stage.browser.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(new URL('/pages/controls.html', stage.server.ready.url).href);
  return () => page.close();
});

const element = <Result>(read: (video: HTMLElementTagNameMap['voxel-video']) => Result): Promise<Result> =>
  page.$eval('voxel-video', read);

const until = (condition: string): Promise<unknown> =>
  page.waitForFunction(`(({ video, element, text }) => ${condition})({
    video: document.querySelector('voxel-video').video,
    element: document.querySelector('voxel-video'),
    text: document.querySelector('media-time-display').shadowRoot.textContent.trim(),
  })`);

/** A click at that share of the control's width. */
async function clickAt(control: string, share: number): Promise<void> {
  const box = (await (await page.$(control))!.boundingBox())!;
  await page.mouse.click(box.x + box.width * share, box.y + box.height / 2);
}

describe('media-chrome drives <voxel-video> as it drives a video', () => {
  it('plays and pauses, shows the time and the duration', async () => {
    await page.click('media-play-button');
    await until('video.currentTime > 1.2 && /0:0[1-9]\\s*\\/\\s*0:08/.test(text)');
    expect(await element(({ paused, duration }) => ({ paused, duration: Math.round(duration) }))).toEqual({
      paused: false,
      duration: clip.seconds,
    });
    await page.click('media-play-button');
    await until('video.paused && element.paused');
    expect(problems).toEqual([]);
  });

  it('seeks where its time range is clicked, and plays on there', async () => {
    await until('video.readyState > 2');
    await clickAt('media-time-range', 0.75);
    await until('!video.seeking && video.currentTime > 5 && video.currentTime < 7');
    await page.click('media-play-button');
    await until('video.currentTime > 7');
    expect(problems).toEqual([]);
  });

  it('changes volume, mutes, and changes the playback rate', async () => {
    await until('video.readyState > 2');
    await page.click('media-mute-button');
    await until('!video.muted && !element.muted');
    await clickAt('media-volume-range', 0.5);
    await until('video.volume > 0.3 && video.volume < 0.7 && element.volume === video.volume');
    await page.click('media-playback-rate-button');
    await until('video.playbackRate > 1 && element.playbackRate === video.playbackRate');
    expect(problems).toEqual([]);
  });
});

describe('<voxel-video> as a video', () => {
  it('has every member of a video but its source object, and sets attributes that it reflects on itself, too', async () => {
    const missing = await element((element) => {
      const names = [HTMLVideoElement, HTMLMediaElement].flatMap(({ prototype }) => Object.keys(prototype));
      return names.filter((name) => !(name in element));
    });
    expect(missing).toEqual(['srcObject']);
    const reflected = await element((element) => {
      element.loop = true;
      element.poster = '/poster.png';
      return [
        element.hasAttribute('loop'),
        element.video.loop,
        element.getAttribute('poster'),
        element.HAVE_ENOUGH_DATA,
      ];
    });
    expect(reflected).toEqual([true, true, '/poster.png', 4]);
  });

  it('repeats the events of its video, and plays what is asked for before there is anything to play', async () => {
    const { events, state } = await element(async (element) => {
      const events: string[] = [];
      for (const type of ['play', 'durationchange', 'progress', 'volumechange', 'seeking', 'ratechange', 'ended'])
        element.addEventListener(type, (event) => events.push(`${type} of ${(event.target as Element).localName}`));
      element.load();
      await element.play();
      element.volume = 0.5;
      element.playbackRate = 2;
      element.currentTime = 7;
      await Promise.race([
        new Promise((resolve) => element.addEventListener('ended', resolve, { once: true })),
        new Promise((resolve) => setTimeout(resolve, 60_000)),
      ]);
      const { currentTime, duration, paused, seeking, readyState, buffered, error } = element.video;
      const ranges = Array.from({ length: buffered.length }, (_, at) => [buffered.start(at), buffered.end(at)]);
      const state = { currentTime, duration, paused, seeking, readyState, ranges, error: error?.message };
      return { events, state };
    });
    const types = ['play', 'durationchange', 'progress', 'volumechange', 'seeking', 'ratechange', 'ended'];
    expect(new Set(events), JSON.stringify(state)).toEqual(new Set(types.map((type) => `${type} of voxel-video`)));
    expect(problems).toEqual([]);
  });

  it('starts over at any moment, and what was under way ends without an error', async () => {
    await element(async (element) => {
      for (let moment = 0; moment < 250; moment += 10) {
        await new Promise((resolve) => setTimeout(resolve, moment));
        element.load();
      }
    });
    await until('video.readyState > 2');
    expect(problems).toEqual([]);
  });
});
