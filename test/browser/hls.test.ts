import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { root } from '../../tools/setup/paths.mjs';
import { startRelay } from '../../tools/start/relay.mjs';
import { prepareClip, writeSegmentFiles } from './support/clip.js';
import {
  errorsOfHls,
  HLS_PACKAGES,
  outcomeOfHls,
  playHlsToEnd,
  playHlsUntil,
  serveHlsPage,
  startHls,
  type HlsOutcome,
} from './support/hls-page.js';
import { writeSeveralTracks } from './support/manifests.js';
import { fallbacksOnceReady, openPage, playedIndices, segmentsOverHttp } from './support/player-page.js';
import { openForEach, playerStage } from './support/player-stage.js';

const clip = { seconds: 10, segmentSeconds: 2 };
const SEGMENTS = clip.seconds / clip.segmentSeconds;
/** Segments that may be asked for before the session is open, and come over HTTP. */
const EARLY = 2;
/** Of the wanderings of an AAC frame (21 ms) and a video frame (40 ms) around the nominal duration. */
const DURATION_TOLERANCE = 0.1;

function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

const stage = playerStage(async (folder) => {
  const media = await prepareClip(folder, clip);
  writeSeveralTracks(media);
  return serveHlsPage(folder, media);
});

openForEach(() => openPage(stage.browser, stage.server.ready.url));

function expectWholePlayback(outcome: HlsOutcome): void {
  const { ended, buffered } = outcome;
  expect(errorsOfHls(outcome)).toEqual([]);
  expect(ended).toBe(true);
  expect(buffered).toHaveLength(1);
  expect(buffered[0]![0]).toBe(0);
  expect(Math.abs(buffered[0]![1] - clip.seconds)).toBeLessThan(DURATION_TOLERANCE);
}

const deliveries = ({ statistics }: HlsOutcome, delivery: string): number[] =>
  statistics!.segments.filter((segment) => segment.delivery === delivery).map(({ index }) => index);

test('the versions played here are those that the package asks for', () => {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    peerDependencies: Record<string, string>;
  };
  const minors = HLS_PACKAGES.map((name) => versionOf(name).split('.').slice(0, 2).join('.'));
  expect(minors).toEqual(['1.5', '1.6', '1.7']);
  // 1.7.0 to 1.7.3 stall where later ones do not.
  expect(peerDependencies['hls.js']).toBe(`>=${versionOf('hls.js-1.5')} <1.7.0 || >=${versionOf('hls.js')} <1.8.0`);
});

describe.each(HLS_PACKAGES.map((name) => ({ name, version: versionOf(name) })))('hls.js $version', ({ name }) => {
  it('plays to the end over datagrams that are lost, by the plugin’s rule, audio and video in place', async ({
    page,
  }) => {
    const relay = await startRelay({ lossPercent: 5, seed: 11 });
    relay.connect(stage.server.ready.quicPort);
    const { certificateHashes } = stage.server.ready;
    const endpoint = { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes };
    await startHls(page, { endpoint }, name);
    await playHlsToEnd(page, 5);
    relay.close();
    const outcome = await outcomeOfHls(page);
    expectWholePlayback(outcome);
    expect(fallbacksOnceReady(outcome)).toEqual([]);
    const { segments, decisions } = outcome.statistics!;
    expect(playedIndices(outcome)).toEqual([...Array(SEGMENTS).keys()]);
    expect(segments.filter(({ delivery }) => delivery !== 'http').length).toBeGreaterThanOrEqual(SEGMENTS - EARLY);
    expect(deliveries(outcome, 'datagrams')).not.toEqual([]);
    expect(segments.some(({ bytesRecovered, bytesLost }) => bytesRecovered + bytesLost > 0)).toBe(true);
    expect(decisions).toBeGreaterThanOrEqual(SEGMENTS);
    expect(outcome.decodedAudioBytes).toBeGreaterThan(0);
    // The other requests are those for its playlist and its initialization segment.
    expect(await segmentsOverHttp(page, 'audio-0', 2)).toBe(0);
  });

  it('goes on after seeks forth and back, and at a pinned level', async ({ page }) => {
    await startHls(page, { bufferSegments: 1 }, name);
    await playHlsUntil(page, 1);
    await page.evaluate(() => void (window.hlsPlayer.video.currentTime = 7));
    await playHlsUntil(page, 7.5);
    await page.evaluate(() => {
      const { hls, video } = window.hlsPlayer;
      hls.loadLevel = 0;
      video.currentTime = 1;
    });
    await page.waitForFunction(() => window.hlsPlayer.video.currentTime < 7);
    await playHlsToEnd(page, 3);
    const outcome = await outcomeOfHls(page);
    expect(errorsOfHls(outcome)).toEqual([]);
    expect(outcome.ended).toBe(true);
    expect(fallbacksOnceReady(outcome)).toEqual([]);
    const lowest = await page.evaluate(() => window.hlsPlayer.hls.levels[0]!.attrs['STABLE-VARIANT-ID']);
    expect(outcome.statistics!.segments.at(-1)).toMatchObject({ representation: lowest });
  });

  it('switches to another audio track while it plays: both come over the session', async ({ page }) => {
    await startHls(page, { bufferSegments: 1 }, name, {}, '/media/several.m3u8');
    await playHlsUntil(page, 3);
    const before = await page.evaluate(() => {
      const { hls, video } = window.hlsPlayer;
      hls.audioTrack = 1;
      return (video as unknown as { webkitAudioDecodedByteCount: number }).webkitAudioDecodedByteCount;
    });
    await playHlsToEnd(page, 5);
    const outcome = await outcomeOfHls(page);
    expect(errorsOfHls(outcome)).toEqual([]);
    expect(outcome.ended).toBe(true);
    expect(fallbacksOnceReady(outcome)).toEqual([]);
    expect(await page.evaluate(() => window.hlsPlayer.hls.audioTrack)).toBe(1);
    expect(outcome.decodedAudioBytes).toBeGreaterThan(before);
    // The other requests are those for its playlist and its initialization segment.
    expect(await segmentsOverHttp(page, 'french', 2)).toBe(0);
    expect(await segmentsOverHttp(page, 'french', 0)).toBe(2);
  });

  // The rest of these does not depend on when anything comes: beside each other.
  it.concurrent('plays over HTTP where there is no WebTransport, and says so', async ({ page }) => {
    await page.evaluate(() => Reflect.deleteProperty(window, 'WebTransport'));
    await startHls(page, {}, name);
    await playHlsToEnd(page);
    const outcome = await outcomeOfHls(page);
    expectWholePlayback(outcome);
    expect(playedIndices(outcome)).toEqual([...Array(SEGMENTS).keys()]);
    expect(deliveries(outcome, 'http')).toHaveLength(outcome.statistics!.segments.length);
    expect(outcome.sessions[0]).toMatchObject({ state: 'failed', code: 'unsupported' });
  });

  it.concurrent('is plain hls.js again after detaching', async ({ page }) => {
    await startHls(page, { bufferSegments: 1 }, name);
    await playHlsUntil(page, 1);
    const before = await page.evaluate(() => {
      const { handle, hls } = window.hlsPlayer;
      handle!.detach();
      const own = ['nextAutoLevel', 'firstAutoLevel'].filter((property) => Object.hasOwn(hls, property));
      const { fLoader, testBandwidth, maxBufferLength } = hls.config;
      return { segments: handle!.statistics().segments.length, own, fLoader, testBandwidth, maxBufferLength };
    });
    expect(before).toMatchObject({ own: [], testBandwidth: true, maxBufferLength: 30 });
    expect(before.fLoader).toBeUndefined();
    await playHlsToEnd(page);
    const outcome = await outcomeOfHls(page);
    expectWholePlayback(outcome);
    expect(outcome.statistics!.segments).toHaveLength(before.segments);
  });

  it.concurrent('plays the same playlists alone', async ({ page }) => {
    await startHls(page, 'plain', name);
    await playHlsToEnd(page);
    const outcome = await outcomeOfHls(page);
    expectWholePlayback(outcome);
    expect(outcome.decodedAudioBytes).toBeGreaterThan(0);
  });
});

describe('hls.js', () => {
  it('plays segments in files of their own, with datagrams for what may be missing', async () => {
    const server = await serveHlsPage(stage.folder, await writeSegmentFiles(stage.folder, clip));
    onTestFinished(() => server.stop());
    const ofFiles = await openPage(stage.browser, server.ready.url);
    onTestFinished(() => ofFiles.close());
    await startHls(ofFiles, { bufferSegments: 1 });
    await playHlsToEnd(ofFiles, 5);
    const outcome = await outcomeOfHls(ofFiles);
    expectWholePlayback(outcome);
    expect(playedIndices(outcome)).toEqual([...Array(SEGMENTS).keys()]);
    expect(fallbacksOnceReady(outcome)).toEqual([]);
    expect(deliveries(outcome, 'datagrams').length).toBeGreaterThanOrEqual(SEGMENTS - EARLY);
    expect(outcome.decodedAudioBytes).toBeGreaterThan(0);
  });

  it('chooses the level itself when told, and gets whole segments on streams', async ({ page }) => {
    await startHls(page, { abr: 'hlsjs', delivery: 'streams', bufferSegments: 1 });
    await playHlsToEnd(page, 3);
    const outcome = await outcomeOfHls(page);
    expectWholePlayback(outcome);
    expect(outcome.statistics!.decisions).toBe(0);
    expect(outcome.statistics!.segments.every(({ level, levels }) => level === levels - 1)).toBe(true);
    expect(deliveries(outcome, 'streams').length).toBeGreaterThanOrEqual(SEGMENTS - EARLY);
  });

  it('has one plugin at a time, and takes it along when it is destroyed', async ({ page }) => {
    await startHls(page, { bufferSegments: 1 });
    await playHlsUntil(page, 1);
    const error = await page.evaluate(() => {
      const { hls } = window.hlsPlayer;
      const { voxelDash } = window as unknown as { voxelDash: typeof import('../../player/hls/index.js') };
      try {
        voxelDash.attachVoxelHls(hls);
      } catch (error) {
        return (error as { code: string }).code;
      }
    });
    expect(error).toBe('already-attached');
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.evaluate(() => window.hlsPlayer.hls.destroy());
    expect((await outcomeOfHls(page)).statistics!.delivery).toBe('http');
    expect(problems).toEqual([]);
  });
});
