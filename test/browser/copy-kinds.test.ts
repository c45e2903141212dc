import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { HANDSHAKE_PACKETS, startRelay } from '../../tools/start/relay.mjs';
import type { ContentKey } from '../repair/cbcs.js';
import {
  addVp9,
  copyLadder,
  encryptLadder,
  joinLadders,
  LADDER_KEY,
  leaveSetsInBand,
  makeLadder,
  makeProtectedLadders,
} from './support/ladder.js';
import { openPage, outcomeOf, playToEnd, servePlayerPage, startPlayer, type Outcome } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const LADDER = { seconds: 6, segmentSeconds: 2 };
const RATE = 25;
const IN_BAND = ['-x264-params', 'repeat-headers=1'];
const CONTENT: ContentKey = { id: randomBytes(16), key: randomBytes(16) };
const PERIODS = ['first', 'second'];

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** A presentation as sites have it, made in a folder and copied into an MPD there. */
interface Kind {
  readonly name: string;
  readonly make: (folder: string) => void;
  readonly seconds: number;
  readonly keys?: Readonly<Record<string, string>>;
  /** Missing frames are taken out: nothing stands in for them. */
  readonly removes?: true;
  /** What the MPD must have, for the test to be of this kind. */
  readonly has: RegExp;
}

/** A ladder in one codec, encrypted whole or but for its first segment, and copied with its key or without. */
function encryptedKind(name: string): Kind {
  const [codec, variant, keyed] = name.split(' ') as [string, string, 'with' | 'without'];
  // Where frames are removed few packets have only what may be missing: more of them.
  const seconds = 2 * LADDER.seconds;
  return {
    name: `tracks in ${name}`,
    make(folder) {
      makeProtectedLadders(folder, [variant], codec, seconds);
      const key = ['--key', `${hex(LADDER_KEY.id)}:${hex(LADDER_KEY.key)}`];
      copyLadder(folder, join(folder, variant, 'stream.mpd'), ...(keyed === 'with' ? key : []));
    },
    seconds,
    keys: { [base64url(LADDER_KEY.id)]: base64url(LADDER_KEY.key) },
    removes: true,
    has: new RegExp(`value="${variant.split('-')[0]}"`),
  };
}

const KINDS: readonly Kind[] = [
  {
    name: 'several periods',
    make(folder) {
      for (const name of PERIODS) {
        mkdirSync(join(folder, name));
        makeLadder(join(folder, name), 'SegmentTemplate', LADDER);
      }
      copyLadder(folder, joinLadders(folder, PERIODS, LADDER.seconds));
    },
    seconds: PERIODS.length * LADDER.seconds,
    has: /<Period[^]*<Period/,
  },
  {
    name: 'parameter sets in samples (avc3)',
    make(folder) {
      const mpd = makeLadder(folder, 'SegmentTemplate', LADDER, IN_BAND);
      leaveSetsInBand(folder, mpd);
      copyLadder(folder, mpd);
    },
    seconds: LADDER.seconds,
    has: /codecs="avc3/,
  },
  {
    name: 'encryption after a start in the clear',
    make(folder) {
      const mpd = makeLadder(folder, 'SegmentTemplate', LADDER);
      encryptLadder(folder, mpd, CONTENT, 1);
      copyLadder(folder, mpd, '--key', `${hex(CONTENT.id)}:${hex(CONTENT.key)}`);
    },
    seconds: LADDER.seconds,
    keys: { [base64url(CONTENT.id)]: base64url(CONTENT.key) },
    has: /<ContentProtection/,
  },
  ...(['h264 cenc-1 with its key', 'av1 cenc-1 without its key', 'av1 cbcs with its key'] as const).map(encryptedKind),
  {
    name: 'a set in another codec',
    make(folder) {
      const mpd = makeLadder(folder, 'SegmentTemplate', LADDER);
      addVp9(folder, mpd, LADDER);
      copyLadder(folder, mpd);
    },
    seconds: LADDER.seconds,
    has: /codecs="vp09/,
  },
];

/** Of a kind in the stage's folder. */
const nameOf = (kind: Kind): string => `kind-${KINDS.indexOf(kind)}`;

const stage = playerStage((folder) => {
  const mounts = KINDS.flatMap((kind) => {
    const media = join(folder, nameOf(kind));
    mkdirSync(media);
    kind.make(media);
    return ['--mount', `/${nameOf(kind)}=${media}`];
  });
  return servePlayerPage(folder, folder, ...mounts);
});

describe.each(KINDS)('a presentation with $name that --copy made a VOXEL stream', (kind) => {
  const { seconds, keys, has, removes } = kind;
  let outcome: Outcome;
  let page: Page;

  beforeAll(async () => {
    page = await openPage(stage.browser, stage.server.ready.url);
    const relay = await startRelay({ lossPercent: 20, seed: 7, spared: HANDSHAKE_PACKETS });
    relay.connect(stage.server.ready.quicPort);
    const { certificateHashes } = stage.server.ready;
    const endpoint = { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes };
    const options = { delivery: 'datagrams', refetch: false, bufferSegments: 1, endpoint } as const;
    await startPlayer(page, options, `/${nameOf(kind)}/manifest.mpd`, {}, keys);
    await playToEnd(page, { seconds: 3 });
    // dash.js calls the end of each period the end.
    const isOver = (end: number): boolean => {
      const { video, errors } = window.players[0]!;
      return video.currentTime >= end || errors.length > 0;
    };
    await page.waitForFunction(isOver, { timeout: 60_000, polling: 50 }, seconds - 0.2);
    relay.close();
    outcome = await outcomeOf(page);
  });

  afterAll(() => page.close());

  it('is of this kind', () => {
    expect(readFileSync(join(stage.folder, nameOf(kind), 'manifest.mpd'), 'utf8')).toMatch(has);
  });

  it('plays to its end, every picture but those that were taken out', () => {
    expect(outcome).toMatchObject({ errors: [], ended: true });
    expect(outcome.duration).toBeCloseTo(seconds, 1);
    const removed = outcome.statistics!.segments.reduce((sum, segment) => sum + segment.removed.length, 0);
    expect(outcome.frames + removed).toBeGreaterThanOrEqual((seconds - 0.2) * RATE);
  });

  it('comes as datagrams once the session is open, and what they lose is repaired', () => {
    const { segments } = outcome.statistics!;
    const last = segments.filter(({ startTime }) => startTime >= seconds - LADDER.segmentSeconds - 1 / RATE);
    expect(last.map(({ delivery }) => delivery)).toEqual(['datagrams']);
    expect(segments.some(({ framesRepaired }) => framesRepaired > 0)).toBe(true);
    if (removes) expect(segments.some(({ removed }) => removed.length > 0)).toBe(true);
  });
});
