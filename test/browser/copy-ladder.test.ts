import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import type { FallbackEvent, SegmentRecord } from '../../player/api/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HANDSHAKE_PACKETS, startRelay } from '../../tools/start/relay.mjs';
import type { ContentKey } from '../repair/cbcs.js';
import { copyLadder, encryptLadder, makeLadder, type Addressing } from './support/ladder.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playedIndices,
  playToEnd,
  servePlayerPage,
  startPlayer,
  type Outcome,
} from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const LADDER = { seconds: 8, segmentSeconds: 2 };
const SEGMENTS = LADDER.seconds / LADDER.segmentSeconds;
/** Segments that may be asked for before the session is open, and come over HTTP. */
const EARLY = 2;
const ADDRESSINGS: readonly Addressing[] = ['SegmentTemplate', 'SegmentBase'];

/** Digests of all files in `folder` that are not hidden, by name. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return Object.fromEntries(names.map((name) => [name, digestOf(readFileSync(join(folder, name)))]));
}

function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Segments that were asked for with the session open and the index there: a busy machine may be late with both. */
function onceReady({ statistics, fallbacks }: Outcome): SegmentRecord[] {
  const isEarly = (event: FallbackEvent): boolean => fallbacksOnceReady({ fallbacks: [event] }).length === 0;
  const early = new Set(fallbacks.filter(isEarly).map(({ index }) => index));
  return statistics!.segments.slice(EARLY).filter(({ index }) => !early.has(index));
}

const CONTENT: ContentKey = { id: randomBytes(16), key: randomBytes(16) };
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const ENCRYPTED = 'encrypted';

/** Digests of the files of the ladders in the clear, before they were copied. */
const plainFiles = new Map<Addressing, Record<string, string>>();

/** Each ladder is a folder of the stage's, under the name of its addressing or `ENCRYPTED`, and is served under it. */
const stage = playerStage((folder) => {
  const media = (name: string): string => join(folder, name);
  const names = [...ADDRESSINGS, ENCRYPTED];
  for (const name of names) mkdirSync(media(name));
  for (const addressing of ADDRESSINGS) {
    const mpd = makeLadder(media(addressing), addressing, LADDER);
    plainFiles.set(addressing, filesIn(media(addressing)));
    copyLadder(media(addressing), mpd);
  }
  const mpd = makeLadder(media(ENCRYPTED), 'SegmentTemplate', LADDER);
  encryptLadder(media(ENCRYPTED), mpd, CONTENT);
  copyLadder(media(ENCRYPTED), mpd, '--key', `${hex(CONTENT.id)}:${hex(CONTENT.key)}`);
  return servePlayerPage(folder, folder, ...names.flatMap((name) => ['--mount', `/${name}=${media(name)}`]));
});

describe.each(ADDRESSINGS)('a ladder with %s that --copy made a VOXEL stream', (addressing) => {
  const manifest = `/${addressing}/manifest.mpd`;
  let page: Page;

  beforeEach(async () => {
    page = await openPage(stage.browser, stage.server.ready.url);
  });

  afterEach(() => page.close());

  it('has its media and its addressing as they were', () => {
    const media = join(stage.folder, addressing);
    expect(filesIn(media)).toMatchObject(plainFiles.get(addressing)!);
    expect(readFileSync(join(media, 'manifest.mpd'), 'utf8')).toContain(`<${addressing}`);
  });

  it('plays to the end with the plugin, every segment known to it', async () => {
    await startPlayer(page, {}, manifest);
    await playToEnd(page);
    const outcome = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true });
    expect(fallbacksOnceReady(outcome)).toEqual([]);
    expect(playedIndices(outcome)).toEqual([...Array(SEGMENTS).keys()]);
    expect(onceReady(outcome).every(({ delivery }) => delivery !== 'http')).toBe(true);
  });

  it('repairs what a lossy network loses and the page does not want again', async () => {
    const relay = await startRelay({ lossPercent: 10, seed: 7, spared: HANDSHAKE_PACKETS });
    relay.connect(stage.server.ready.quicPort);
    const url = `https://127.0.0.1:${relay.port}/voxel`;
    const endpoint = { url, certificateHashes: stage.server.ready.certificateHashes };
    await startPlayer(page, { delivery: 'datagrams', refetch: false, bufferSegments: 1, endpoint }, manifest);
    await playToEnd(page, { seconds: 3 });
    relay.close();
    const outcome = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true, played: [[0, expect.closeTo(LADDER.seconds, 1)]] });
    expect(outcome.frames).toBeGreaterThanOrEqual(LADDER.seconds * 25);
    const { segments } = outcome.statistics!;
    expect(new Set(onceReady(outcome).map(({ delivery }) => delivery))).toEqual(new Set(['datagrams']));
    expect(segments.some(({ framesRepaired }) => framesRepaired > 0)).toBe(true);
  });

  it('plays with dash.js alone', async () => {
    await startPlayer(page, 'plain', manifest);
    await playToEnd(page);
    expect(await outcomeOf(page)).toMatchObject({ errors: [], ended: true });
  });
});

describe('an encrypted ladder that --copy made a VOXEL stream with its key', () => {
  it('has its video encrypted', () => {
    for (const level of [0, 1])
      expect(readFileSync(join(stage.folder, ENCRYPTED, `${level}-init.mp4`)).includes('encv')).toBe(true);
  });

  it('plays with Clear Key, and what a lossy network loses is repaired without the key', async () => {
    const page = await openPage(stage.browser, stage.server.ready.url);
    const relay = await startRelay({ lossPercent: 10, seed: 7, spared: HANDSHAKE_PACKETS });
    relay.connect(stage.server.ready.quicPort);
    const endpoint = {
      url: `https://127.0.0.1:${relay.port}/voxel`,
      certificateHashes: stage.server.ready.certificateHashes,
    };
    const keys = { [base64url(CONTENT.id)]: base64url(CONTENT.key) };
    const options = { delivery: 'datagrams', refetch: false, bufferSegments: 1, endpoint } as const;
    await startPlayer(page, options, `/${ENCRYPTED}/manifest.mpd`, {}, keys);
    await playToEnd(page, { seconds: 3 });
    relay.close();
    const outcome = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true, played: [[0, expect.closeTo(LADDER.seconds, 1)]] });
    expect(outcome.frames).toBeGreaterThanOrEqual(LADDER.seconds * 25);
    const { segments } = outcome.statistics!;
    expect(new Set(onceReady(outcome).map(({ delivery }) => delivery))).toEqual(new Set(['datagrams']));
    expect(segments.some(({ framesRepaired }) => framesRepaired > 0)).toBe(true);
    await page.close();
  });
});
