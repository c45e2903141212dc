import type { Page } from 'puppeteer-core';
import { expect } from 'vitest';
import type { AbrName } from '../../../player/api/types.js';
import { watchAppends } from './appends.js';
import { startFaultRelay, type Fault, type FaultRelay } from './fault-relay.js';
import { startPlayer, type PlayerServer } from './player-page.js';
import type { PlayerStage } from './player-stage.js';

/** Segments of four seconds, of which the first half second is a small part. */
export const PIECES_CLIP = { seconds: 12, segmentSeconds: 4, representations: '144p' };
/** The clip's own, about, and a third more. */
export const BITS_PER_MS = 400;
const LONGEST_QUEUE_MS = 2000;

/** What a page saw, in order: fragments of video that were appended, pictures, and segments of which all was here. */
export interface Seen {
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
export async function watchPieces(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(watchAppends);
  await page.evaluateOnNewDocument(() => {
    window.seen = [];
    window.onAppend = ({ buffer, byteOffset, byteLength }) => {
      const view = new DataView(buffer, byteOffset, byteLength);
      for (let at = 0; at + 8 <= byteLength;) {
        const type = view.getUint32(at + 4);
        const [moof, traf, tfdt] = [0x6d6f6f66, 0x74726166, 0x74666474];
        if (type === tfdt) {
          const isLong = view.getUint8(at + 8) === 1;
          const time = isLong ? Number(view.getBigUint64(at + 12)) : view.getUint32(at + 12);
          window.seen.push({ kind: 'append', at: time });
        }
        at += type === moof || type === traf ? 8 : view.getUint32(at) || byteLength;
      }
    };
    const onPlay = ({ target }: Event): void => {
      (target as HTMLVideoElement).requestVideoFrameCallback(() => window.seen.push({ kind: 'picture', at: 0 }));
    };
    document.addEventListener('play', onPlay, { capture: true, once: true });
  });
}

/** A page that is watched, and a slow link to its server, on which the clip plays. */
export async function openSlowly({
  browser,
  server,
}: PlayerStage): Promise<{ readonly page: Page; readonly relay: FaultRelay }> {
  const page = await browser.newPage();
  await watchPieces(page);
  await page.goto(server.ready.url);
  const relay = await startFaultRelay(server.ready.quicPort);
  relay.fault = linkOf(BITS_PER_MS);
  return { page, relay };
}

/** A link of that rate, in both directions; `loses`: of its packets. */
export function linkOf(bitsPerMs: number, loses = 0): Fault {
  let free = 0;
  return (packet, send) => {
    const now = performance.now();
    if (free - now > LONGEST_QUEUE_MS || Math.random() < loses) return;
    free = Math.max(free, now) + (packet.length * 8) / bitsPerMs;
    setTimeout(() => send(packet), free - now);
  };
}

export const seenBy = (page: Page): Promise<Seen[]> => page.evaluate(() => window.seen);
export const placeOf = (seen: Seen[], kind: Seen['kind'], at = 0): number =>
  seen.findIndex((one) => one.kind === kind && one.at === at);

/** Every fragment once, in the order of its times. */
export function expectOnce(seen: Seen[]): void {
  const times = seen.filter(({ kind }) => kind === 'append').map(({ at }) => at);
  expect(times.length).toBeGreaterThan(0);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
}

/**
 * Starts to play over the relay once the session is open: before, the first segment comes over HTTP. Under dash.js' own rule segments are
 * whole: none is cut short.
 */
export async function startInPieces(
  page: Page,
  { ready: { certificateHashes } }: Pick<PlayerServer, 'ready'>,
  relayPort: number,
  abr: AbrName = 'abr-star',
): Promise<void> {
  const endpoint = { url: `https://127.0.0.1:${relayPort}/voxel`, certificateHashes };
  await startPlayer(page, { bufferSegments: 1, endpoint, refetch: false, abr }, '');
  await page.evaluate(() => {
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
    player.attachSource('/media/manifest.mpd');
  });
}

/** Waits until the page has seen so many of a kind. */
export function untilSeen(page: Page, kind: Seen['kind'], count = 1): Promise<unknown> {
  return page.waitForFunction(
    (kind, count) => window.seen.filter((one) => one.kind === kind).length >= count,
    { timeout: 60_000, polling: 20 },
    kind,
    count,
  );
}

/** Begins anew to note what is seen: of pictures the next one, or with `seek` the first of that time, to which each element jumps. */
export function seeAnew(page: Page, seek?: number): Promise<unknown> {
  return page.evaluate((seek: number | null) => {
    window.seen = [];
    const video = document.querySelector('video')!;
    const from = seek ?? video.currentTime;
    const look: VideoFrameRequestCallback = (_, { mediaTime }) => {
      if (mediaTime > from - 0.05 && (seek === null || mediaTime < from + 0.5))
        window.seen.push({ kind: 'picture', at: 0 });
      else video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
    if (seek !== null) video.currentTime = seek;
  }, seek ?? null);
}
