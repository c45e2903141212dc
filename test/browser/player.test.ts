import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeInline, prepareClip } from './support/clip.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playedIndices,
  playToEnd,
  playUntil,
  segmentsOverHttp,
  servePlayerPage,
  startPlayer,
  type Outcome,
  type PlayerServer,
} from './support/player-page.js';
import { filesOf } from './support/manifests.js';
import { openForEach, playerStage } from './support/player-stage.js';

const clip = { seconds: 10, segmentSeconds: 2 };
const SEGMENTS = clip.seconds / clip.segmentSeconds;
/** Segments that may be asked for before the session is open, and come over HTTP. */
const EARLY = 2;
const FRAMES = clip.seconds * 25;
/** Of the wanderings of an AAC frame (21 ms) and a video frame (40 ms) around the nominal duration. */
const DURATION_TOLERANCE = 0.1;

let media: string;

const stage = playerStage(async (folder) => {
  media = await prepareClip(folder, clip);
  return servePlayerPage(folder, media);
});

/** Opens the page of `server` for each test of a block. */
function withPage(of: () => PlayerServer): void {
  openForEach(() => openPage(stage.browser, of().ready.url));
}

function expectWholePlayback(outcome: Outcome): void {
  expect(outcome).toMatchObject({ errors: [], ended: true });
  expect(outcome.buffered).toHaveLength(1);
  expect(outcome.buffered[0]![0]).toBe(0);
  expect(Math.abs(outcome.buffered[0]![1] - clip.seconds)).toBeLessThan(DURATION_TOLERANCE);
}

/** Indices of the segments that came that way, in the order of delivery. */
function segmentsOver(delivery: string, { statistics }: Outcome): number[] {
  return statistics!.segments.filter((segment) => segment.delivery === delivery).map(({ index }) => index);
}

describe('with a VOXEL server', () => {
  withPage(() => stage.server);

  it('plays to the end over datagrams, every frame of audio and video in place', async ({ page }) => {
    await startPlayer(page, { bufferSegments: 1 });
    // Until the last segment is there: in a hurry less of it might come in time.
    await playToEnd(page, { seconds: 8 });
    const outcome = await outcomeOf(page);
    expectWholePlayback(outcome);
    expect(outcome.frames).toBeGreaterThanOrEqual(FRAMES);
    expect(outcome.decodedAudioBytes).toBeGreaterThan(0);
    // The other request is that for its initialization segment.
    expect(await segmentsOverHttp(page, 'audio-0', 1)).toBe(0);
    expect(playedIndices(outcome)).toEqual([...Array(SEGMENTS).keys()]);
    expect(segmentsOver('datagrams', outcome).length).toBeGreaterThanOrEqual(SEGMENTS - EARLY);
    const { framesTotal, score } = outcome.statistics!.segments.at(-1)!;
    expect(framesTotal).toBe(FRAMES / SEGMENTS);
    expect(score).toBeGreaterThan(0.5);
  });

  it('goes all the way on streams when told', async ({ page }) => {
    await startPlayer(page, { delivery: 'streams', bufferSegments: 1 });
    await playToEnd(page);
    const outcome = await outcomeOf(page);
    expectWholePlayback(outcome);
    expect(segmentsOver('streams', outcome).length).toBeGreaterThanOrEqual(SEGMENTS - EARLY);
    expect(outcome.statistics!.segments.every(({ bytesLost }) => bytesLost === 0)).toBe(true);
  });

  // This one and the next do not depend on when anything comes: beside each other.
  it.concurrent('leaves the choice to dash.js when told, and delivers whole segments', async ({ page }) => {
    await startPlayer(page, { abr: 'dashjs' });
    await playToEnd(page);
    const outcome = await outcomeOf(page);
    expectWholePlayback(outcome);
    expect(outcome.statistics!.decisions).toBe(0);
    expect(outcome.statistics!.segments.every(({ level, levels }) => level === levels - 1)).toBe(true);
  });

  it.concurrent('plays the same manifest with dash.js alone', async ({ page }) => {
    await startPlayer(page, 'plain');
    await playToEnd(page);
    expectWholePlayback(await outcomeOf(page));
  });

  it('goes on after seeks forth and back', async ({ page }) => {
    await startPlayer(page, { bufferSegments: 1 });
    await playUntil(page, 1);
    await page.evaluate(() => window.players[0]!.player.seek(7));
    await playUntil(page, 7.5);
    await page.evaluate(() => window.players[0]!.player.seek(1));
    await page.waitForFunction(() => window.players[0]!.video.currentTime < 7);
    await playToEnd(page);
    const outcome = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true });
    expect(fallbacksOnceReady(outcome)).toEqual([]);
  });

  it('plays two players on a page, each over its own session', async ({ page }) => {
    const first = await startPlayer(page, { bufferSegments: 1 });
    const second = await startPlayer(page, { delivery: 'streams', bufferSegments: 1 });
    await Promise.all([first, second].map((player) => playToEnd(page, { player, seconds: 3 })));
    const outcomes = [await outcomeOf(page, first), await outcomeOf(page, second)] as const;
    for (const outcome of outcomes) expectWholePlayback(outcome);
    expect(segmentsOver('datagrams', outcomes[0]).length).toBeGreaterThanOrEqual(SEGMENTS - EARLY);
    expect(segmentsOver('streams', outcomes[1]).length).toBeGreaterThanOrEqual(SEGMENTS - EARLY);
  });

  it('leaves plain dash.js behind when it is detached', async ({ page }) => {
    const settings = () =>
      page.evaluate(() => {
        const { buffer, scheduling, abandonLoadTimeout } = window.players[0]!.player.getSettings().streaming!;
        return { buffer, scheduling, abandonLoadTimeout };
      });
    await startPlayer(page, 'plain');
    const plainSettings = await settings();
    await page.reload();
    await startPlayer(page, { bufferSegments: 1 });
    await playUntil(page, 1);
    expect(await settings()).not.toEqual(plainSettings);
    await page.evaluate(() => window.players[0]!.handle!.detach());
    const before = (await outcomeOf(page)).statistics!.segments.length;
    expect(before).toBeLessThan(SEGMENTS);
    expect(await settings()).toEqual(plainSettings);
    await playToEnd(page);
    const outcome = await outcomeOf(page);
    expectWholePlayback(outcome);
    expect(outcome.statistics!.segments).toHaveLength(before);
  });
});

/** How many indexes the page has asked for. */
function indexRequests(page: Page): Promise<number> {
  const count = (): number =>
    performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.index')).length;
  return page.evaluate(count);
}

describe('where segments are described', () => {
  let inlineServer: PlayerServer;
  let bareServer: PlayerServer;

  beforeAll(async () => {
    inlineServer = await servePlayerPage(stage.folder, await describeInline(stage.folder, clip));
    const bare = join(stage.folder, 'bare');
    cpSync(media, bare, { recursive: true });
    for (const name of readdirSync(bare)) if (name.endsWith('.index')) rmSync(join(bare, name));
    bareServer = await servePlayerPage(stage.folder, bare);
    return () => Promise.all([inlineServer.stop(), bareServer.stop()]);
  });

  describe('in an index', () => {
    withPage(() => stage.server);

    it('fetches the index of each level once, and the manifest says nothing else', async ({ page }) => {
      expect(readFileSync(join(media, 'manifest.mpd'), 'utf8')).not.toContain('unreliable');
      await startPlayer(page);
      await playToEnd(page);
      const outcome = await outcomeOf(page);
      expectWholePlayback(outcome);
      expect(fallbacksOnceReady(outcome)).toEqual([]);
      expect(await indexRequests(page)).toBe(readdirSync(media).filter((name) => name.endsWith('.index')).length);
    });

    it('asks for the index while the initialization segment is on its way', async ({ page }) => {
      const files = filesOf(readFileSync(join(media, 'manifest.mpd'), 'utf8'));
      const held: HTTPRequest[] = [];
      let isAsked = false;
      await page.setRequestInterception(true);
      page.on('request', (request) => {
        isAsked ||= request.url().endsWith('.index');
        // A player that waited for the initialization segment before it asks would wait for ever.
        if (!isAsked && files.some((file) => request.url().endsWith(`/${file.media}`))) held.push(request);
        else for (const one of [request, ...(isAsked ? held.splice(0) : [])]) void one.continue();
      });
      await startPlayer(page, { abr: 'dashjs' });
      await playUntil(page, 0.1);
      const { askedAt, hereAt } = await page.evaluate((files) => {
        const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
        const indexes = entries.filter(({ name }) => name.endsWith('.index'));
        const index = indexes.reduce((first, one) => (one.startTime < first.startTime ? one : first));
        const level = files.find((file) => index.name.endsWith(`/${file.index}`))!;
        const initialization = entries.find(({ name }) => name.endsWith(`/${level.media}`))!;
        return { askedAt: index.startTime, hereAt: initialization.responseEnd };
      }, files);
      expect(askedAt).toBeLessThan(hereAt);
    });

    it('starts with a plain segment when the index is late, and goes on with VOXEL', async ({ page }) => {
      await page.setRequestInterception(true);
      page.on('request', (request) => {
        const delay = request.url().endsWith('.index') ? 2000 : 0;
        setTimeout(() => void request.continue(), delay);
      });
      await startPlayer(page, { bufferSegments: 1 });
      await playToEnd(page, { seconds: 5 });
      const outcome = await outcomeOf(page);
      expectWholePlayback(outcome);
      expect(outcome.fallbacks[0]).toMatchObject({ code: 'index-late', index: 0 });
      expect(segmentsOver('datagrams', outcome)).toContain(SEGMENTS - 1);
    });
  });

  describe('in the manifest', () => {
    withPage(() => inlineServer);

    it('plays its attributes, and asks for no index', async ({ page }) => {
      await startPlayer(page, { bufferSegments: 1 });
      await playToEnd(page, { seconds: 3 });
      const outcome = await outcomeOf(page);
      expectWholePlayback(outcome);
      expect(segmentsOver('datagrams', outcome).length).toBeGreaterThanOrEqual(SEGMENTS - EARLY);
      expect(await indexRequests(page)).toBe(0);
    });

    it('plays with dash.js alone', async ({ page }) => {
      await startPlayer(page, 'plain');
      await playToEnd(page);
      expectWholePlayback(await outcomeOf(page));
    });
  });

  describe('nowhere, as the indexes are gone', () => {
    withPage(() => bareServer);

    it('plays plain segments and says why', async ({ page }) => {
      await startPlayer(page);
      await playToEnd(page);
      const outcome = await outcomeOf(page);
      expectWholePlayback(outcome);
      expect(outcome.statistics!.segments).toEqual([]);
      expect(outcome.fallbacks.length).toBeGreaterThan(0);
      expect(outcome.fallbacks.every(({ code }) => code === 'index-refused')).toBe(true);
    });
  });
});

describe('without a way to a VOXEL server', () => {
  let plainServer: PlayerServer;

  beforeAll(async () => {
    plainServer = await servePlayerPage(stage.folder, media, '--no-webtransport');
    return () => plainServer.stop();
  });

  withPage(() => plainServer);

  function expectAllOverHttp(outcome: Outcome): void {
    expect(playedIndices(outcome)).toEqual([...Array(SEGMENTS).keys()]);
    expect(segmentsOver('http', outcome)).toHaveLength(outcome.statistics!.segments.length);
  }

  async function expectHttpPlayback(page: Page, code: string): Promise<void> {
    await playToEnd(page);
    const outcome = await outcomeOf(page);
    expectWholePlayback(outcome);
    expectAllOverHttp(outcome);
    // Once for all of them: no later session can do better.
    expect(fallbacksOnceReady(outcome).map((event) => [event.code, event.index])).toEqual([[code, undefined]]);
    expect(outcome.statistics).toMatchObject({ delivery: 'http', fallbacks: outcome.fallbacks.length });
    expect(outcome.sessions[0]).toMatchObject({ state: 'failed', code });
  }

  // None depends on when anything comes: beside each other.
  it.concurrent('plays over HTTP when the server has no WebTransport', async ({ page }) => {
    await startPlayer(page);
    await expectHttpPlayback(page, 'discovery-failed');
  });

  it.concurrent('plays over HTTP when UDP is blocked', async ({ page }) => {
    // It takes packets and never answers.
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `https://127.0.0.1:${silent.address().port}/voxel`;
    await startPlayer(page, { endpoint: { url, certificateHashes: stage.server.ready.certificateHashes } });
    // At its own pace: the session fails after seconds.
    await playUntil(page);
    silent.close();
    const outcome = await outcomeOf(page);
    expectWholePlayback(outcome);
    expectAllOverHttp(outcome);
    expect(outcome.sessions[0]).toMatchObject({ state: 'failed', code: 'session-failed' });
  });

  it.concurrent('plays over HTTP in a browser without WebTransport', async ({ page }) => {
    await page.evaluate(() => Reflect.deleteProperty(window, 'WebTransport'));
    await startPlayer(page, { endpoint: { url: 'https://127.0.0.1:1/voxel' } });
    await expectHttpPlayback(page, 'unsupported');
  });

  it.concurrent('asks for nothing when told to use HTTP', async ({ page }) => {
    await startPlayer(page, { delivery: 'http' });
    await playToEnd(page);
    const outcome = await outcomeOf(page);
    expectWholePlayback(outcome);
    expect(outcome).toMatchObject({ fallbacks: [], sessions: [] });
    expect(segmentsOver('http', outcome)).toEqual([...Array(SEGMENTS).keys()]);
  });
});
