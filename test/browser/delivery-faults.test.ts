import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prepareClip } from './support/clip.js';
import {
  blackHole,
  damage,
  duplicate,
  noFault,
  reorder,
  startFaultRelay,
  type FaultRelay,
} from './support/fault-relay.js';
import {
  openPage,
  outcomeOf,
  playToEnd,
  playUntil,
  servePlayerPage,
  startPlayer,
  type Outcome,
} from './support/player-page.js';
import { playerStage } from './support/player-stage.js';
import { replaceMedia } from './support/replace-media.js';

const clip = { seconds: 20, segmentSeconds: 2 };
/** For what has no session to wait for. */
const short = { seconds: 10, segmentSeconds: 2 };

const SHORT = '/short/manifest.mpd';

let media: string;
let page: Page;
let relay: FaultRelay;

const stage = playerStage(async (folder) => {
  media = await prepareClip(folder, clip);
  const shorter = await prepareClip(join(folder, 'short'), short);
  return servePlayerPage(folder, media, '--mount', `/short=${shorter}`);
});

beforeEach(async () => {
  relay = await startFaultRelay(stage.server.ready.quicPort);
  page = await openPage(stage.browser, stage.server.ready.url);
});

afterEach(async () => {
  await page.close();
  relay.close();
});

/** Starts a player whose session goes through the relay. */
async function start(manifest?: string, hashes = stage.server.ready.certificateHashes): Promise<void> {
  const url = `https://127.0.0.1:${relay.port}/voxel`;
  await startPlayer(page, { endpoint: { url, certificateHashes: hashes }, bufferSegments: 3 }, manifest);
  await page.evaluate(() => {
    const { video } = window.players[0]!;
    window.stalls = 0;
    video.addEventListener('waiting', () => (window.stalls += 1));
    video.addEventListener('playing', () => (window.stalls = 0), { once: true });
  });
}

declare global {
  interface Window {
    /** How often playback has come to a stand since it began. */
    stalls: number;
    delivered: { delivery: string; isWhole: boolean; bytes: number[] }[];
  }
}

/** What a segment holds of its file, whether or not it came in pieces, which have boxes of their own: samples, and its fragments' numbers. */
function contentOf(segment: Buffer): { media: Buffer; numbers: number[] } {
  const found: Buffer[] = [];
  const numbers: number[] = [];
  let at = 0;
  while (at < segment.length) {
    const end = at + segment.readUInt32BE(at);
    const type = segment.toString('latin1', at + 4, at + 8);
    if (type === 'mdat') found.push(segment.subarray(at + 8, end));
    // moof > mfhd: size, type, version and flags, number (ISO/IEC 14496-12 §8.8.5).
    if (type === 'moof') numbers.push(segment.readUInt32BE(at + 20));
    at = end;
  }
  return { media: Buffer.concat(found), numbers };
}

/** A machine that is busy with other things may hold playback up on its own. */
const MOST_STALLS = 1;

/** Playback reached the end, whole and without a stand. */
async function expectUninterrupted(): Promise<Outcome> {
  await playUntil(page);
  const outcome = await outcomeOf(page);
  expect(outcome).toMatchObject({ errors: [], ended: true });
  expect(outcome.buffered, JSON.stringify(outcome)).toHaveLength(1);
  expect(await page.evaluate(() => window.stalls)).toBeLessThanOrEqual(MOST_STALLS);
  return outcome;
}

describe('on the way to the server', () => {
  // The session opens late, on a busy machine for each of them.
  it.each([
    ['come twice', duplicate],
    ['overtake each other', reorder],
    ['are cut short, and garbage among them', damage],
  ])('plays on when packets %s', async (_case, fault) => {
    relay.fault = fault;
    await start();
    const { sessions, fallbacks, statistics } = await expectUninterrupted();
    expect(sessions).toMatchObject([{ state: 'opened' }]);
    const overSession = statistics!.segments.filter(({ delivery }) => delivery !== 'http');
    const more = clip.seconds / clip.segmentSeconds / 2;
    expect(overSession.length, JSON.stringify({ sessions, fallbacks })).toBeGreaterThan(more);
  });

  it('plays on over HTTP when UDP is swallowed from one moment to the next, and over the session when it is back', async () => {
    await start();
    await playUntil(page, 3);
    relay.fault = blackHole;
    await page.waitForFunction(() => window.players[0]!.sessions.some(({ state }) => state === 'closed'));
    relay.fault = noFault;
    const { sessions, fallbacks, statistics } = await expectUninterrupted();
    expect(sessions[0]).toMatchObject({ state: 'opened' });
    expect(sessions[1]).toMatchObject({ state: 'closed', code: 'timeout' });
    expect(sessions.at(-1)).toMatchObject({ state: 'opened' });
    expect(fallbacks.some(({ code, to }) => code === 'timeout' && to === 'http')).toBe(true);
    expect(statistics!.segments.at(-1)!.delivery).not.toBe('http');
  });

  it('brings the first segment over the session where that opens while HTTP is slow', async () => {
    const held: (() => void)[] = [];
    relay.fault = (packet, send) => void held.push(() => send(packet));
    // Segments of the video never come over HTTP. The rest does at once: a session has five seconds to open.
    await page.setRequestInterception(true);
    const isAsked = new Promise<void>((resolve) => {
      page.on('request', (request) => {
        const isInitialization = request.headers().range?.startsWith('bytes=0-');
        if (/\/q\d+\.[^/]+\.mp4$/.test(request.url()) && !isInitialization) resolve();
        else void request.continue();
      });
    });
    await start();
    await isAsked;
    relay.fault = noFault;
    for (const send of held) send();
    await page.waitForFunction(() => window.players[0]!.handle!.statistics().segments.length > 0);
    const { statistics, errors } = await outcomeOf(page);
    expect(errors).toEqual([]);
    expect(statistics!.segments[0]).toMatchObject({ index: 0, delivery: 'streams' });
  });

  it('plays over HTTP when the certificate is not the one that was promised', async () => {
    await start(SHORT, [btoa('x'.repeat(32))]);
    const { sessions, statistics } = await expectUninterrupted();
    expect(sessions[0]).toMatchObject({ state: 'failed', code: 'session-failed', retryIn: 1 });
    expect(statistics!.segments.every(({ delivery }) => delivery === 'http')).toBe(true);
  });
});

describe('at the server', () => {
  it('plays on when files and indexes are replaced, and no segment is made of both versions', async () => {
    const folder = join(stage.folder, 'replaced');
    cpSync(media, folder, { recursive: true, preserveTimestamps: true });
    const videos = readdirSync(folder).filter((name) => name.endsWith('.mp4'));
    const former = new Map(videos.map((name) => [name, readFileSync(join(folder, name))]));
    const server = await servePlayerPage(stage.folder, folder);
    try {
      await page.goto(server.ready.url);
      await startPlayer(page, { bufferSegments: 1, delivery: 'datagrams' });
      await page.evaluate(() => {
        window.delivered = [];
        window.players[0]!.handle!.on('delivered', ({ record: { delivery, bytesLost, framesSkipped }, data }) => {
          const isWhole = bytesLost + framesSkipped === 0;
          window.delivered.push({ delivery, isWhole, bytes: Array.from(data) });
        });
      });
      await page.waitForFunction(() => window.delivered.filter(({ delivery }) => delivery !== 'http').length >= 2);
      const before = await page.evaluate(() => window.delivered.length);
      const latter = replaceMedia(folder);
      await playUntil(page, 10);
      const delivered = await page.evaluate(() => window.delivered);
      const { errors, fallbacks } = await outcomeOf(page);
      expect(errors).toEqual([]);
      const changes = fallbacks.filter(({ code }) => code === 'file-changed');
      expect(changes.length).toBeGreaterThan(0);
      expect(changes.length).toBeLessThanOrEqual(latter.size);
      const whole = delivered.filter(({ isWhole }) => isWhole).map(({ bytes }) => contentOf(Buffer.from(bytes)));
      const isIn = (files: Map<string, Buffer>, { media, numbers }: ReturnType<typeof contentOf>): boolean =>
        [...files.values()].some(
          (file) => file.includes(media) && numbers.every((one) => contentOf(file).numbers.includes(one)),
        );
      expect(whole.filter((one) => Number(isIn(former, one)) + Number(isIn(latter, one)) !== 1)).toEqual([]);
      expect(isIn(latter, whole.at(-1)!)).toBe(true);
      // The new file comes over the session again.
      expect(delivered.slice(before).some(({ delivery }) => delivery !== 'http')).toBe(true);
      expect(delivered.at(-1)!.delivery).not.toBe('http');
    } finally {
      await server.stop();
    }
  });

  it('plays on when the server is killed and comes back with another certificate', async () => {
    const mortal = await servePlayerPage(stage.folder, media);
    const ports = ['--http-port', new URL(mortal.ready.url).port, '--quic-port', String(mortal.ready.quicPort)];
    await page.goto(mortal.ready.url);
    await startPlayer(page, { bufferSegments: 3 });
    await playUntil(page, 3);
    process.kill(mortal.pid, 'SIGKILL');
    await mortal.exited;
    // The clip is to last until a session is open again, however long that takes here.
    await playUntil(page, 5);
    await page.evaluate(() => window.players[0]!.player.pause());
    // Where servers keep their certificate for the next start.
    vi.stubEnv('XDG_CACHE_HOME', join(stage.folder, 'empty'));
    const risen = await servePlayerPage(stage.folder, media, ...ports);
    vi.unstubAllEnvs();
    try {
      expect(risen.ready.certificateHashes).not.toEqual(mortal.ready.certificateHashes);
      await page.waitForFunction(
        () => {
          const { sessions } = window.players[0]!;
          return sessions.length > 1 && sessions.at(-1)!.state === 'opened';
        },
        { timeout: 90_000 },
      );
      await page.evaluate(() => window.players[0]!.player.play());
      await playToEnd(page, { seconds: 6 });
      const { errors, ended, sessions, statistics } = await outcomeOf(page);
      expect({ errors, ended }).toEqual({ errors: [], ended: true });
      const states = sessions.map(({ state }) => state);
      expect(states[0]).toBe('opened');
      expect(states).toContain('closed');
      expect(states.at(-1)).toBe('opened');
      expect(statistics!.segments.at(-1)!.delivery).not.toBe('http');
    } finally {
      await risen.stop();
      await mortal.stop();
    }
  });
});
