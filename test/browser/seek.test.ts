import type { Page } from 'puppeteer-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { prepareClip } from './support/clip.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playUntil,
  servePlayerPage,
  startPlayer,
} from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const clip = { seconds: 10, segmentSeconds: 2 };
const FRAME = 1 / 25;
/** As dash.js is told: one quality, so that every picture is the same however it comes. */
const PINNED = { streaming: { abr: { autoSwitchBitrate: { video: false }, initialBitrate: { video: 1 } } } };

/** On a busy machine datagrams are lost on loopback, too. */
const LOSSLESS = { bufferSegments: 1, delivery: 'streams' } as const;

let page: Page;

const stage = playerStage(async (folder) => servePlayerPage(folder, await prepareClip(folder, clip)));

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

/** A seek of a test, and what is known of it. */
interface Shown {
  /** SHA-256 of the first picture of that time. */
  readonly picture: string;
  /** What happened until then, in order: `worker` is asked for a download, or dash.js asks for a segment. */
  readonly asked: readonly string[];
}

/** Seeks to that time, in seconds, and waits for its picture. */
function shownAt(time: number, player = 0): Promise<Shown> {
  return page.evaluate(
    async (time, player, frame) => {
      const { video, player: dash } = window.players[player]!;
      const asked: string[] = [];
      const onLoading = ({ request }: { request: { mediaType: string; type: string; index: number } }): void => {
        if (request.mediaType === 'video' && request.type === 'MediaSegment') asked.push(`dash.js ${request.index}`);
      };
      dash.on('fragmentLoadingStarted', onLoading as never);
      const own = Reflect.get(Worker.prototype, 'postMessage') as (...args: unknown[]) => void;
      Worker.prototype.postMessage = function (...args: unknown[]) {
        if (Object.values(args[0] as object).includes('download')) asked.push('worker');
        own.apply(this, args);
      };
      await new Promise<void>((resolve) => {
        const look: VideoFrameRequestCallback = (_, { mediaTime }) => {
          if (mediaTime <= time + 1e-6 && time < mediaTime + frame) resolve();
          else video.requestVideoFrameCallback(look);
        };
        video.requestVideoFrameCallback(look);
        video.currentTime = time;
      });
      Worker.prototype.postMessage = own;
      dash.off('fragmentLoadingStarted', onLoading as never);
      const { videoWidth: width, videoHeight: height } = video;
      const canvas = new OffscreenCanvas(width, height).getContext('2d')!;
      canvas.drawImage(video, 0, 0);
      const digest = await crypto.subtle.digest('SHA-256', canvas.getImageData(0, 0, width, height).data);
      return { picture: Array.from(new Uint8Array(digest), (byte) => byte.toString(16)).join(''), asked };
    },
    time,
    player,
    FRAME,
  );
}

function untilBuffered(time: number, player: number): Promise<unknown> {
  return page.waitForFunction(
    (time, player) => {
      const { buffered } = window.players[player]!.video;
      return Array.from({ length: buffered.length }, (_, at) => [buffered.start(at), buffered.end(at)] as const).some(
        ([start, end]) => start <= time && time < end,
      );
    },
    {},
    time,
    player,
  );
}

async function startPaused(...options: Parameters<typeof startPlayer> extends [Page, ...infer Rest] ? Rest : never) {
  const player = await startPlayer(page, ...options);
  await playUntil(page, 0.5, player);
  await page.evaluate((player) => window.players[player]!.player.pause(), player);
  return player;
}

describe('a seek with dash.js', () => {
  it('to what is not in the buffer asks at once, once, and shows that very picture; into the buffer it asks for nothing', async () => {
    const plain = await startPaused('plain', undefined, PINNED);
    const voxel = await startPaused(LOSSLESS, undefined, PINNED);
    await page.waitForFunction((player) => window.players[player]!.sessions.length > 0, {}, voxel);
    const asked: Record<number, readonly string[]> = {};
    const compare = async (time: number): Promise<void> => {
      const [own, same] = [await shownAt(time, voxel), await shownAt(time, plain)];
      expect({ time, picture: own.picture }).toEqual({ time, picture: same.picture });
      asked[time] = own.asked;
    };
    await compare(7.3);
    await compare(4.5);
    await untilBuffered(7.1, voxel);
    // Into the buffer, back to where it has been, into the last segment.
    for (const time of [7.1, 0.3, 9.7]) await compare(time);
    for (const [time, index] of [
      [7.3, 3],
      [4.5, 2],
    ] as const) {
      expect(asked[time]!.indexOf('worker')).toBe(0);
      expect(asked[time]!.filter((one) => one === `dash.js ${index}`)).toHaveLength(1);
    }
    expect([...asked[7.1]!, ...asked[0.3]!].filter((one) => /dash\.js [03]/.test(one))).toEqual([]);
    const outcome = await outcomeOf(page, voxel);
    expect(outcome.errors).toEqual([]);
    expect(fallbacksOnceReady(outcome)).toEqual([]);
    const { segments } = outcome.statistics!;
    for (const index of [3, 2]) expect(segments.find((one) => one.index === index)).toMatchObject({ early: true });
  });

  it('ends where the time is behind the end, and goes on after ten of them in a second', async () => {
    const voxel = await startPaused(LOSSLESS, undefined, PINNED);
    await page.evaluate(async (player) => {
      const { video } = window.players[player]!;
      for (const time of [7, 3, 9.5, 5, 1, 8, 2, 6.5, 4, 6.1]) {
        video.currentTime = time;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }, voxel);
    const plain = await startPaused('plain', undefined, PINNED);
    expect((await shownAt(5.7, voxel)).picture).toBe((await shownAt(5.7, plain)).picture);
    await page.evaluate((player) => {
      const { player: dash } = window.players[player]!;
      dash.seek(dash.duration() + 1);
      dash.play();
    }, voxel);
    await playUntil(page, Infinity, voxel);
    expect(await outcomeOf(page, voxel)).toMatchObject({ errors: [], ended: true });
  });
});
