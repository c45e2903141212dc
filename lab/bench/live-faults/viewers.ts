import type { Browser, Page } from 'puppeteer-core';
import { startHls } from '../../../test/browser/support/hls-page.js';
import { startPlayer } from '../../../test/browser/support/player-page.js';
import type { Shown } from './pictures.js';

export const PLAYERS = ['dash.js', 'hls.js', 'voxel-dash', 'voxel-dash/hls'] as const;

export type PlayerName = (typeof PLAYERS)[number];

/** A player in a browser profile of its own: those of one profile share their connections to a server. */
export interface Viewer {
  readonly name: PlayerName;
  readonly page: Page;
}

declare global {
  interface Window {
    /** When each picture was shown, in milliseconds since 1970, and its time in the video; `watchPictures` keeps them. */
    shownPictures: [at: number, time: number][];
  }
}

const isHls = (name: PlayerName): boolean => name.endsWith('hls') || name === 'hls.js';

/** Starts one, with the settings that it has by itself. */
export async function startViewer(browser: Browser, url: string, name: PlayerName): Promise<Viewer> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage({ type: 'window' });
  await page.goto(url);
  const options = name.startsWith('voxel') ? {} : 'plain';
  if (isHls(name)) await startHls(page, options);
  else await startPlayer(page, options);
  await watchPictures(page);
  return { name, page };
}

async function watchPictures(page: Page): Promise<void> {
  await page.evaluate(() => {
    const video = document.querySelector('video')!;
    const shown: Window['shownPictures'] = (window.shownPictures = []);
    // No function has a name: tsx, under which benches run, marks those with what the page does not know.
    void (async () => {
      for (;;) {
        const [at, time] = await new Promise<[number, number]>((resolve) =>
          video.requestVideoFrameCallback((_, { mediaTime }) => resolve([Date.now(), mediaTime])),
        );
        shown.push([at, time]);
      }
    })();
  });
}

/** Waits until it has shown so many pictures. */
export async function untilShown({ page }: Viewer, pictures: number): Promise<void> {
  await page.waitForFunction(
    (least) => window.shownPictures.length >= least,
    { timeout: 60_000, polling: 100 },
    pictures,
  );
}

export async function shownPictures({ page }: Viewer): Promise<Shown[]> {
  const shown = await page.evaluate(() => window.shownPictures);
  return shown.map(([at, time]) => ({ at, time }));
}

/** Seconds behind the capture; `start`: the date of the video's time 0, in milliseconds since 1970, for players of DASH. */
export async function secondsBehind({ name, page }: Viewer, start: number): Promise<number> {
  return page.evaluate(
    (isHls, start) => {
      if (!isHls) return (Date.now() - start) / 1000 - document.querySelector('video')!.currentTime;
      return (Date.now() - Number(window.hlsPlayer.hls.playingDate)) / 1000;
    },
    isHls(name),
    start,
  );
}

/** What it has said of errors, and ours of sessions and of what came over HTTP. */
export async function saidBy({
  name,
  page,
}: Viewer): Promise<{ errors: string[]; sessions: string[]; fallbacks: string[] }> {
  return page.evaluate((isHls) => {
    const { errors, sessions, fallbacks } = isHls ? window.hlsPlayer : window.players[0]!;
    return { errors, sessions: sessions.map(({ state }) => state), fallbacks: fallbacks.map(({ code }) => code) };
  }, isHls(name));
}
