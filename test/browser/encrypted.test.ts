import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IndexFile } from '../../src/manifest/index-file.js';
import { parseFragments, type Sample } from '../../src/repair/fmp4.js';
import { readTrack } from '../../src/repair/codecs.js';
import { commonEncryption } from '../../src/repair/encryption.js';
import { createRepairer, type FrameReport } from '../../src/repair/index.js';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { encryptCbcs, type ContentKey } from '../repair/cbcs.js';
import { encodeClip, initEnd, SYNTHETIC_CLIPS } from '../repair/clips.js';
import { damageAndRepair } from '../repair/damage.js';
import { punch, receivedExcept, type Gap } from '../repair/gaps.js';
import { copyLadder, LADDER_KEY as CONTENT, makeProtectedLadders } from './support/ladder.js';
import { picturesOf } from './support/seeking-viewer.js';

const CLIPS = SYNTHETIC_CLIPS.filter(({ name }) => name === 'main-cabac' || name === 'cavlc-b-frames-4-slices');
const FRAMES = { rate: 24, indexes: [0, 2, 4, 6, 8, 10, 12, 14] };
const LEAST_DIFFERENT = 6;

const MADE = [
  { name: 'H.264', codec: 'h264', type: 'avc1.64000C' },
  { name: 'AV1', codec: 'av1', type: 'av01.0.00M.08' },
];
/** Schemes, by the names of the folders; -1: the first of two segments stays in the clear. */
const PROTECTED = ['cenc', 'cenc-1', 'cbcs', 'cbcs-1'];
const RATE = 25;
const INIT = '1-init.mp4';
const SEGMENTS = ['1-00001.m4s', '1-00002.m4s'];
/** Of 50 samples of a segment. */
const LEAST_MISSING = 10;

const folder = mkdtempSync(join(tmpdir(), 'voxel-encrypted-'));
let server: Server;
let browser: Browser;

beforeAll(async () => {
  server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<video muted></video>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launchChrome(findChrome()!);
});

afterAll(async () => {
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Digests of the pictures that Chromium shows of a file on a page of its own. */
async function shown(file: Buffer, codec: string, content?: ContentKey, frames = FRAMES): Promise<string[]> {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const pictures = await picturesOf(page, file, codec, frames, content);
  await page.close();
  return pictures;
}

describe('Chromium with Clear Key shows of a cbcs track what it shows of the same track in the clear', () => {
  it.each(CLIPS)('$name: as encoded, and repaired', async (clip) => {
    const plain = readFileSync(encodeClip(clip, folder));
    const encrypted = encryptCbcs(plain, CONTENT);
    const inTheClear = await shown(plain, clip.codec);
    expect(new Set(inTheClear).size).toBeGreaterThan(LEAST_DIFFERENT);
    expect(await shown(encrypted, clip.codec, CONTENT)).toEqual(inTheClear);

    const repaired = damageAndRepair(plain);
    const repairedEncrypted = damageAndRepair(encrypted);
    expect(repairsOf(repairedEncrypted.frames)).toEqual(repairsOf(repaired.frames));
    const repairedInTheClear = await shown(repaired.file, clip.codec);
    expect(repairedInTheClear).not.toEqual(inTheClear);
    expect(await shown(repairedEncrypted.file, clip.codec, CONTENT)).toEqual(repairedInTheClear);
  });

  it('and another picture, or none, where the map still calls a replaced slice encrypted', async () => {
    const clip = CLIPS[0]!;
    const plain = readFileSync(encodeClip(clip, folder));
    const repaired = damageAndRepair(plain).file;
    const encrypted = encryptCbcs(plain, CONTENT);
    const wrong = withMapOf(encrypted, damageAndRepair(encrypted).file);
    const pictures = shown(wrong, clip.codec, CONTENT);
    await expect(pictures.catch(() => [])).resolves.not.toEqual(await shown(repaired, clip.codec));
  });
});

describe.each(MADE)(
  'Clear Key, and a track in $name of which frames are removed without the key',
  ({ codec, type }) => {
    const ladders = join(folder, codec);
    let missing: number[][];
    let whole: string[];
    let frames: typeof FRAMES;

    beforeAll(async () => {
      makeProtectedLadders(ladders, ['clear', ...PROTECTED], codec, 4);
      const key = [CONTENT.id, CONTENT.key].map((bytes) => Buffer.from(bytes).toString('hex')).join(':');
      copyLadder(join(ladders, 'cenc'), join(ladders, 'cenc/stream.mpd'), '--key', key);
      missing = missingSamples(join(ladders, 'cenc'));
      for (const places of missing) expect(places.length).toBeGreaterThan(LEAST_MISSING);
      frames = {
        rate: RATE,
        indexes: picturesKept(
          file('clear', INIT),
          SEGMENTS.map((name) => file('clear', name)),
          missing,
        ),
      };
      whole = await shown(read('clear'), type, undefined, frames);
      expect(new Set(whole).size).toBeGreaterThan(LEAST_DIFFERENT);
      expect(await shown(read('clear', missing), type, undefined, frames)).toEqual(whole);
    });

    const file = (ladder: string, name: string): Buffer => readFileSync(join(ladders, ladder, name));

    /** The file of the upper representation of a ladder, all of it or what is left of it. */
    function read(ladder: string, without?: readonly number[][]): Buffer {
      const init = file(ladder, INIT);
      const segments = SEGMENTS.map((name) => file(ladder, name));
      if (!without) return Buffer.concat([init, ...segments]);
      return Buffer.concat([init, ...segments.map((segment, index) => removed(init, segment, without[index]!))]);
    }

    it.each(PROTECTED)(
      'Chromium shows of %s, whole and of what is left, what it shows in the clear',
      async (ladder) => {
        expect(await shown(read(ladder), type, CONTENT, frames)).toEqual(whole);
        expect(await shown(read(ladder, missing), type, CONTENT, frames)).toEqual(whole);
      },
    );
  },
);

/** The samples of each segment that a prepared ladder lets be missing, the less important half of them, by their places. */
function missingSamples(folder: string): number[][] {
  const name = readdirSync(folder).find((name) => /^video-1\..*\.index$/.test(name))!;
  const bytes = readFileSync(join(folder, name));
  const index = new IndexFile('ssim');
  index.add({ start: 0, end: bytes.length }, bytes);
  const samples = SEGMENTS.map((name) => samplesOf(readFileSync(join(folder, INIT)), readFileSync(join(folder, name))));
  return samples.map((ofSegment, number) => {
    const { unreliable } = index.segment(number)!;
    const less = unreliable.slice(unreliable.length >> 1);
    return less
      .map(({ start }) => ofSegment.findIndex(({ offset }) => offset === start))
      .sort((one, other) => one - other);
  });
}

function samplesOf(init: Buffer, segment: Buffer): readonly Sample[] {
  const track = readTrack(init, commonEncryption);
  return parseFragments(segment, (description) => track(description).encryption).flatMap(({ samples }) => samples);
}

/** The segment without some of its samples. */
function removed(init: Buffer, segment: Buffer, places: readonly number[]): Uint8Array {
  const samples = samplesOf(init, segment);
  const lost = places.map((place) => samples[place]!).map(({ offset, size }): Gap => [offset, offset + size]);
  const frames = lost.map(([start, end]) => ({ start, end, needs: [] }));
  return createRepairer(init).repair(punch(segment, lost), receivedExcept(lost), { kind: 'remove', frames }).bytes;
}

/** Some of the pictures that stay, by their places in order of presentation. */
function picturesKept(init: Buffer, segments: readonly Buffer[], missing: readonly number[][]): number[] {
  const places = segments.flatMap((segment, number) => {
    const samples = samplesOf(init, segment);
    const kept = samples.map(({ duration, compositionOffset }, place) => place + compositionOffset / duration);
    const first = Math.min(...kept);
    return kept
      .filter((_, place) => !missing[number]!.includes(place))
      .map((place) => place - first + number * samples.length);
  });
  return places.sort((one, other) => one - other).filter((_, index) => index % 5 === 0);
}

function repairsOf(frames: readonly FrameReport[]): unknown[] {
  return frames.map(({ type, repairedSlices }) => [type, repairedSlices]);
}

/** The repaired file with the `senc` boxes of the file as it was: the moof has kept its length. */
function withMapOf(original: Buffer, repaired: Buffer): Buffer {
  const wrong = Buffer.from(repaired);
  for (let from = initEnd(original), to = from; ;) {
    const source = original.indexOf('senc', from) - 4;
    const target = wrong.indexOf('senc', to) - 4;
    if (source < 0 || target < 0) return wrong;
    const bytes = original.readUInt32BE(source);
    original.copy(wrong, target, source, source + bytes);
    from = source + bytes;
    to = target + bytes;
  }
}
