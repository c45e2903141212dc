import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { readTrack } from '../../src/repair/codecs.js';
import { parseFragments, type Fragment } from '../../src/repair/fmp4.js';
import { createRepairer, type ChunkState } from '../../src/repair/index.js';
import type { RemovableFrame } from '../../src/repair/types.js';
import { encodeClip, initEnd, SYNTHETIC_CLIPS } from '../repair/clips.js';
import { damageAndRepair } from '../repair/damage.js';
import { punch, receivedExcept, type Gap } from '../repair/gaps.js';
import { pictureDigest, strictDecode } from './support/strict-decode.js';

const SIZE = { width: 320, height: 180 };
const FRAME_RATE = 24;
/** Duration of a frame in the timescale that FFmpeg gives clips of this rate. */
const TICKS = 512;
const MINIMUM_SAMPLED_PICTURES = 20;
/** How often a clip is played at most: a busy machine shows few of its pictures at a time. */
const MOST_PLAYBACKS = 3;

const folder = mkdtempSync(join(tmpdir(), 'voxel-repair-'));
let server: Server;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<video muted></video>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await launchChrome(findChrome()!);
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});

afterAll(async () => {
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Puts a file into the page's video through MSE, part by part; runs in the page. Returns how many ranges were buffered at most. */
async function loadInPage(parts: readonly string[], codec: string): Promise<number> {
  const video = document.querySelector('video')!;
  const source = new MediaSource();
  video.src = URL.createObjectURL(source);
  await new Promise((resolve) => source.addEventListener('sourceopen', resolve, { once: true }));
  const buffer = source.addSourceBuffer(`video/mp4; codecs="${codec}"`);
  let ranges = 0;
  for (const base64 of parts) {
    buffer.appendBuffer(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
    await new Promise((resolve) => buffer.addEventListener('updateend', resolve, { once: true }));
    ranges = Math.max(ranges, buffer.buffered.length);
  }
  if (source.readyState === 'open') source.endOfStream();
  return ranges;
}

/**
 * Plays what is loaded to its end and captures every picture that is shown; runs in the page. Returns the pictures as media time and
 * SHA-256 of their I420 planes.
 */
async function playInPage(): Promise<{ error: string | undefined; pictures: [number, string][] }> {
  const video = document.querySelector('video')!;
  const captures: Promise<[number, string]>[] = [];
  const capture = async (): Promise<[number, string]> => {
    const frame = new VideoFrame(video);
    // The callback's own time may be that of the picture before: the compositor goes on.
    const mediaTime = frame.timestamp / 1e6;
    const { width, height } = frame.visibleRect!;
    const planes = new Uint8Array((width * height * 3) / 2);
    const luma = width * height;
    const layout = [
      { offset: 0, stride: width },
      { offset: luma, stride: width / 2 },
      { offset: luma * 1.25, stride: width / 2 },
    ];
    await frame.copyTo(planes, { layout });
    frame.close();
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', planes));
    return [mediaTime, Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')];
  };
  video.requestVideoFrameCallback(function callback() {
    captures.push(capture());
    video.requestVideoFrameCallback(callback);
  });
  const over = new Promise((resolve) => {
    video.addEventListener('ended', resolve, { once: true });
    video.addEventListener('error', resolve, { once: true });
  });
  video.playbackRate = 0.5; // so that a busy machine shows enough of the pictures
  await video.play().catch(() => undefined);
  await over;
  return { error: video.error?.message, pictures: await Promise.all(captures) };
}

/** Seeks, paused, to each of these times of what is loaded; runs in the page. Returns the media times of the pictures that it shows, and the buffered ranges. */
async function seekInPage(moments: readonly number[]) {
  const video = document.querySelector('video')!;
  const times: number[] = [];
  for (const moment of moments) {
    const shown = new Promise<number>((resolve) => {
      video.requestVideoFrameCallback((_, { mediaTime }) => resolve(mediaTime));
    });
    video.currentTime = moment;
    times.push(await shown);
  }
  return { times, ranges: video.buffered.length };
}

describe('Chromium shows repaired video exactly as FFmpeg decodes it', () => {
  it.each(SYNTHETIC_CLIPS)('$name', async (clip) => {
    const { file: repaired, frames } = damageAndRepair(readFileSync(encodeClip(clip, folder)));
    expect(frames.filter(({ repairedSlices }) => repairedSlices > 0).length).toBeGreaterThan(5);
    const decoded = strictDecode(repaired, Buffer.of());
    const compared = new Set<number>();
    for (let times = 0; times < MOST_PLAYBACKS && compared.size < MINIMUM_SAMPLED_PICTURES; times++) {
      await page.evaluate(loadInPage, [repaired.toString('base64')], clip.codec);
      const { error, pictures } = await page.evaluate(playInPage);
      expect(error).toBeUndefined();
      const byFrame = new Map(pictures.map(([mediaTime, digest]) => [Math.round(mediaTime * FRAME_RATE), digest]));
      for (const [frame, digest] of byFrame) {
        expect(pictureDigest(decoded, frame, SIZE), `frame ${frame}`).toBe(digest);
        compared.add(frame);
      }
    }
    expect(compared.size).toBeGreaterThanOrEqual(MINIMUM_SAMPLED_PICTURES);
  });
});

/** A segment of which frames are missing. */
interface Damaged {
  readonly init: Buffer;
  readonly segment: Buffer;
  readonly gaps: readonly Gap[];
  readonly frames: readonly RemovableFrame[];
}

/** A file without some frames. */
interface Left {
  /** Its initialization segment, and what has become of each of the others: a part, or several. */
  readonly parts: readonly Buffer[];
  /** When the frames that stay are shown, counted in frames. */
  readonly kept: readonly number[];
}

/** Each segment as one part. */
const whole = ({ init, segment, gaps, frames }: Damaged): Uint8Array[] => [
  createRepairer(init).repair(punch(segment, gaps), receivedExcept(gaps), { kind: 'remove', frames }).bytes,
];

/** The file without every other frame that no other refers to; `repair` makes parts of what is there. */
function removeFrames(file: Buffer, repair: (damaged: Damaged) => Uint8Array[]): Left {
  const init = file.subarray(0, initEnd(file));
  const segments = parseFragments(file.subarray(init.length)).map(({ start, end }) =>
    file.subarray(init.length + start, init.length + end),
  );
  const kept: number[] = [];
  const left = segments.flatMap((segment) => {
    const [{ decodeTime, samples }] = parseFragments(segment, undefined, readTrack(init).defaults) as [Fragment];
    let time = decodeTime!;
    const timed = samples.map(({ duration, compositionOffset, offset, size }) => {
      const at = (time += duration) - duration;
      // Behind its length: nal_ref_idc 0, NAL unit type 1.
      return {
        start: offset,
        end: offset + size,
        needs: [],
        isLeaf: (segment[offset + 4]! & 0x7f) === 1,
        at: at + compositionOffset,
      };
    });
    const frames = timed.filter(({ isLeaf }) => isLeaf).filter((_, index) => index % 2 === 0);
    kept.push(...timed.filter((frame) => !frames.includes(frame)).map(({ at }) => at / TICKS));
    const gaps = frames.map(({ start, end }): Gap => [start, end]);
    return repair({ init, segment, gaps, frames }).map((bytes) => Buffer.from(bytes));
  });
  return { parts: [init, ...left], kept: kept.sort((one, other) => one - other) };
}

describe('Chromium shows what is left where frames were removed', () => {
  it('and, when it seeks while paused, the picture that stands at that time', async () => {
    const clip = SYNTHETIC_CLIPS.find(({ name }) => name === 'main-cabac')!;
    const { parts, kept } = removeFrames(readFileSync(encodeClip(clip, folder)), whole);
    const first = kept[0]!;
    const count = kept.at(-1)! + 1 - first;
    expect(count - kept.length).toBeGreaterThan(5);
    const frames = Array.from({ length: count }, (_, index) => first + index);
    const moments = frames.map((frame) => (frame + 0.5) / FRAME_RATE);
    await page.evaluate(loadInPage, [Buffer.concat(parts).toString('base64')], clip.codec);
    const { times, ranges } = await page.evaluate(seekInPage, moments);
    expect(ranges).toBe(1);
    expect(times.map((time) => Math.round(time * FRAME_RATE))).toEqual(
      frames.map((frame) => kept.findLast((each) => each <= frame)),
    );
  });
});

describe('pieces of segments that are appended one after the other', () => {
  const PIECE_SECONDS = 0.25;
  const clip = SYNTHETIC_CLIPS.find(({ name }) => name === 'main-cabac')!;

  /** The pieces of a segment, one after the other. */
  function pieces({ init, segment, gaps, frames }: Damaged): Uint8Array[] {
    const repairer = createRepairer(init);
    const [damaged, received] = [punch(segment, gaps), receivedExcept(gaps)];
    let after: ChunkState | undefined;
    return repairer.pieces(damaged, received, PIECE_SECONDS).map((piece) => {
      const repaired = repairer.repairPiece(damaged, received, piece, { kind: 'remove', frames }, after);
      after = repaired.after;
      return repaired.bytes;
    });
  }

  it('are one range in Chromium, which shows every picture that is left at its time, as FFmpeg decodes it', async () => {
    const { parts, kept } = removeFrames(readFileSync(encodeClip(clip, folder)), pieces);
    expect(parts.length).toBeGreaterThan(8);
    const decoded = strictDecode(Buffer.concat(parts), Buffer.of());
    const base64 = parts.map((part) => part.toString('base64'));
    const compared = new Set<number>();
    for (let times = 0; times < MOST_PLAYBACKS && compared.size < MINIMUM_SAMPLED_PICTURES; times++) {
      expect(await page.evaluate(loadInPage, base64, clip.codec)).toBe(1);
      const { error, pictures } = await page.evaluate(playInPage);
      expect(error).toBeUndefined();
      for (const [mediaTime, digest] of pictures) {
        const frame = kept.indexOf(Math.round(mediaTime * FRAME_RATE));
        expect(frame, `a picture at ${mediaTime}`).toBeGreaterThanOrEqual(0);
        expect(pictureDigest(decoded, frame, SIZE), `frame ${kept[frame]}`).toBe(digest);
        compared.add(frame);
      }
    }
    expect(compared.size).toBeGreaterThanOrEqual(MINIMUM_SAMPLED_PICTURES);
  });
});
