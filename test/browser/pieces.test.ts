import type { Page } from 'puppeteer-core';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { prepareClip } from './support/clip.js';
import { startFaultRelay, type Fault, type FaultRelay } from './support/fault-relay.js';
import { errorsOfHls, outcomeOfHls, playHlsUntil, serveHlsPage, startHls } from './support/hls-page.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playUntil,
  servePlayerPage,
  startPlayer,
} from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const clip = { seconds: 12, segmentSeconds: 4, representations: '144p' };
/** The clip's own, about, and a third more. */
const BITS_PER_MS = 400;
const LONGEST_QUEUE_MS = 2000;

/** What a page saw, in order: fragments of video that were appended, pictures, and segments of which all was here. */
interface Seen {
  readonly kind: 'append' | 'picture' | 'delivered';
  /** Of a fragment: its first decode time in ticks. Of a segment: its index. */
  readonly at: number;
}

declare global {
  interface Window {
    seen: Seen[];
  }
}

/** Notes what the page appends of video, told by the time scale of its track, and the first picture of each element. */
function watch(page: Page): Promise<unknown> {
  return page.evaluateOnNewDocument(() => {
    window.seen = [];
    const addSourceBuffer = Object.getOwnPropertyDescriptor(MediaSource.prototype, 'addSourceBuffer')!.value as (
      this: MediaSource,
      type: string,
    ) => SourceBuffer;
    MediaSource.prototype.addSourceBuffer = function (type) {
      const buffer = addSourceBuffer.call(this, type);
      if (!type.startsWith('video')) return buffer;
      const append = buffer.appendBuffer.bind(buffer);
      buffer.appendBuffer = (data: ArrayBuffer) => {
        const view = ArrayBuffer.isView(data)
          ? new DataView(data.buffer, data.byteOffset, data.byteLength)
          : new DataView(data);
        for (let at = 0; at + 8 <= view.byteLength;) {
          const type = view.getUint32(at + 4);
          const [moof, traf, tfdt] = [0x6d6f6f66, 0x74726166, 0x74666474];
          if (type === tfdt) {
            const isLong = view.getUint8(at + 8) === 1;
            const time = isLong ? Number(view.getBigUint64(at + 12)) : view.getUint32(at + 12);
            window.seen.push({ kind: 'append', at: time });
          }
          at += type === moof || type === traf ? 8 : view.getUint32(at) || view.byteLength;
        }
        append(data);
      };
      return buffer;
    };
    const onPlay = ({ target }: Event): void => {
      (target as HTMLVideoElement).requestVideoFrameCallback(() => window.seen.push({ kind: 'picture', at: 0 }));
    };
    document.addEventListener('play', onPlay, { capture: true, once: true });
  });
}

/** A link of that rate, in both directions; `loses`: of its packets. */
function linkOf(bitsPerMs: number, loses = 0): Fault {
  let free = 0;
  return (packet, send) => {
    const now = performance.now();
    if (free - now > LONGEST_QUEUE_MS || Math.random() < loses) return;
    free = Math.max(free, now) + (packet.length * 8) / bitsPerMs;
    setTimeout(() => send(packet), free - now);
  };
}

const seenBy = (page: Page): Promise<Seen[]> => page.evaluate(() => window.seen);
const placeOf = (seen: Seen[], kind: Seen['kind'], at = 0): number =>
  seen.findIndex((one) => one.kind === kind && one.at === at);

/** Every fragment once, in the order of its times. */
function expectOnce(seen: Seen[]): void {
  const times = seen.filter(({ kind }) => kind === 'append').map(({ at }) => at);
  expect(times.length).toBeGreaterThan(0);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
}

describe('dash.js', () => {
  let page: Page;
  let relay: FaultRelay;

  const stage = playerStage(async (folder) => servePlayerPage(folder, await prepareClip(folder, clip)));

  beforeEach(async () => {
    page = await stage.browser.newPage();
    await watch(page);
    await page.goto(stage.server.ready.url);
    relay = await startFaultRelay(stage.server.ready.quicPort);
    relay.fault = linkOf(BITS_PER_MS);
    return async () => {
      await page.close();
      relay.close();
    };
  });

  /** Starts to play once the session is open: before, the first segment comes over HTTP. */
  async function start(startTime = 0, bufferSegments = 1): Promise<void> {
    const endpoint = {
      url: `https://127.0.0.1:${relay.port}/voxel`,
      certificateHashes: stage.server.ready.certificateHashes,
    };
    await startPlayer(page, { bufferSegments, endpoint, refetch: false }, '');
    await page.evaluate((startTime) => {
      const { player, handle } = window.players[0]!;
      handle!.on('delivered', ({ record }) => window.seen.push({ kind: 'delivered', at: record.index }));
      const opened = new Promise<void>((resolve) => {
        handle!.on('session', ({ state }) => state === 'opened' && resolve());
      });
      type Typed = { readonly customData: { readonly request: { readonly type: string } } };
      player.addRequestInterceptor((async (request: Typed) => {
        if (request.customData.request.type === 'InitializationSegment') await opened;
        return request;
      }) as never);
      player.setAutoPlay(true);
      player.attachSource('/media/manifest.mpd', startTime);
    }, startTime);
  }

  it('shows the first segment while it arrives, and appends nothing twice', async () => {
    await start();
    await playUntil(page);
    const seen = await seenBy(page);
    const { errors, ended, buffered, ...outcome } = await outcomeOf(page);
    expect([errors, fallbacksOnceReady(outcome), ended]).toEqual([[], [], true]);
    expect(buffered).toHaveLength(1);
    expectOnce(seen);
    expect(placeOf(seen, 'picture')).toBeLessThan(placeOf(seen, 'delivered', 0));
    expect(placeOf(seen, 'picture')).toBeGreaterThan(-1);
    expect(seen.slice(0, placeOf(seen, 'delivered', 0)).filter(({ kind }) => kind === 'append').length).toBeGreaterThan(
      1,
    );
  });

  it('does so where packets are lost, and after a seek into the middle of a segment', async () => {
    relay.fault = linkOf(BITS_PER_MS, 0.02);
    await start();
    await playUntil(page, 0.5);
    await page.evaluate(() => {
      const { player, video } = window.players[0]!;
      window.seen = [];
      player.seek(9.5);
      video.requestVideoFrameCallback(() => window.seen.push({ kind: 'picture', at: 0 }));
    });
    await playUntil(page);
    const seen = await seenBy(page);
    const { errors, ended } = await outcomeOf(page);
    expect([errors, ended]).toEqual([[], true]);
    expectOnce(seen);
    expect(placeOf(seen, 'picture')).toBeLessThan(placeOf(seen, 'delivered', 2));
  });
});

describe('hls.js 1.7', () => {
  const stage = playerStage(async (folder) => serveHlsPage(folder, await prepareClip(folder, clip)));

  it('appends nothing twice of segments that come in pieces', async () => {
    const relay = await startFaultRelay(stage.server.ready.quicPort);
    relay.fault = linkOf(BITS_PER_MS);
    const page = await openPage(stage.browser, 'about:blank');
    onTestFinished(async () => {
      relay.close();
      await page.close();
    });
    await watch(page);
    await page.goto(stage.server.ready.url);
    const { certificateHashes } = stage.server.ready;
    const endpoint = { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes };
    await startHls(page, { endpoint }, 'hls.js', { progressive: true });
    await page.evaluate(() =>
      window.hlsPlayer.handle!.on('delivered', ({ record }) =>
        window.seen.push({ kind: 'delivered', at: record.index }),
      ),
    );
    await playHlsUntil(page);
    const seen = await seenBy(page);
    const outcome = await outcomeOfHls(page);
    expect([errorsOfHls(outcome), outcome.ended]).toEqual([[], true]);
    expect(outcome.buffered).toHaveLength(1);
    expectOnce(seen);
  });
});
