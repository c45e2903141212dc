import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FrameReport } from '../../src/repair/index.js';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { encryptCbcs, type ContentKey } from '../repair/cbcs.js';
import { encodeClip, initEnd, SYNTHETIC_CLIPS } from '../repair/clips.js';
import { damageAndRepair } from '../repair/damage.js';
import { picturesOf } from './support/seeking-viewer.js';

const CLIPS = SYNTHETIC_CLIPS.filter(({ name }) => name === 'main-cabac' || name === 'cavlc-b-frames-4-slices');
const CONTENT: ContentKey = {
  id: Buffer.from('abba271e8bcf552bbd2e86a434a9a5d9', 'hex'),
  key: Buffer.from('69eaa802a6763af979e8d1940fb88392', 'hex'),
};
const FRAMES = { rate: 24, indexes: [0, 2, 4, 6, 8, 10, 12, 14] };
const LEAST_DIFFERENT = 6;

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
async function shown(file: Buffer, codec: string, content?: ContentKey): Promise<string[]> {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const pictures = await picturesOf(page, file, codec, FRAMES, content);
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
