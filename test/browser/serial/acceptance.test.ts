import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChrome } from '../../../tools/setup/chrome.mjs';
import { root } from '../../../tools/setup/paths.mjs';
import { launchChrome } from '../../../tools/start/headless.mjs';
import { prepareVideo } from '../../../tools/start/prepare.mjs';
import { HANDSHAKE_PACKETS, startRelay } from '../../../tools/start/relay.mjs';
import { startServer } from '../../../tools/start/server.mjs';
import { mediaOf } from '../support/manifests.js';
import { recordPlayback, type Recording } from '../support/recording.js';
import { pictureDigest, strictDecode } from '../support/strict-decode.js';

/** A minute of all representations, for which the test command has no time otherwise. */
const IS_FULL = process.env.VOXEL_ACCEPTANCE === 'full';
const SECONDS = IS_FULL ? 60 : 12;
/** Seconds; undefined: the default. */
const SEGMENT = IS_FULL ? undefined : 2;
const REPRESENTATIONS = IS_FULL ? undefined : '144p,360p:0.75,480p:1.05,720p:3';
const SHARED_CLIP = join(root, '../shared/data/videos/bbb_720p30_a.mp4');
const MINIMUM_SAMPLED_PICTURES = 20;

let media: string;
let browser: Browser;

beforeAll(async () => {
  const video = existsSync(SHARED_CLIP) ? SHARED_CLIP : undefined;
  if (!video) console.log('the shared Big Buck Bunny clip is absent: playing the sample instead');
  media = await prepareVideo({ video, duration: SECONDS, representations: REPRESENTATIONS, segment: SEGMENT });
  browser = await launchChrome(findChrome()!);
}, 600_000);

afterAll(() => browser.close());

/**
 * Plays the whole stream through a relay that drops `lossPercent` of the packets from server to client behind the handshake, with these parameters of
 * the demo page.
 */
async function play(lossPercent: number, parameters: string) {
  // The whole clip comes over HTTP in less time than a handshake may take at 20 % loss.
  const relay = await startRelay({ lossPercent, seed: 1, spared: HANDSHAKE_PACKETS });
  const endpoint = `https://127.0.0.1:${relay.port}/voxel`;
  const mounts = [join(root, 'dist/demo'), '--mount', `/media=${media}`];
  const server = await startServer([...mounts, '--http-port', '0', '--quic-port', '0', '--public-endpoint', endpoint]);
  relay.connect(server.ready.quicPort);
  const page = await browser.newPage();
  try {
    const recording = await recordPlayback(page);
    await page.goto(`${server.ready.url}?manifest=/media/manifest.mpd&autoplay=1${parameters}`);
    const over = 'window.voxelDemo?.ended || window.voxelDemo?.report().errors.length > 0';
    await page.waitForFunction(over, { timeout: 5 * SECONDS * 1000 });
    return { report: await page.evaluate(() => window.voxelDemo.report()), recording };
  } finally {
    await page.close();
    await server.stop();
    relay.close();
  }
}

/** The init segment of a representation: `Initialization@range` always starts at 0. */
function initSegment(representation: string): Uint8Array {
  const manifest = readFileSync(join(media, 'manifest.mpd'), 'utf8');
  const range = new RegExp(`<Representation[^>]* id="${representation}".*?<Initialization[^>]* range="0-(\\d+)"`, 's');
  const end = Number(range.exec(manifest)![1]) + 1;
  return mediaOf(media, representation).subarray(0, end);
}

/** Decodes every delivered segment strictly, compares the sampled pictures; returns how many were compared. */
function compareWithFfmpeg(recording: Recording, segmentSeconds: number, frameRate: number): number {
  let compared = 0;
  for (const { index, representation, data } of recording.segments) {
    const pictures = strictDecode(initSegment(representation), data);
    const start = index * segmentSeconds;
    for (const sample of recording.pictures) {
      const frame = Math.round((sample.mediaTime - start) * frameRate);
      const count = pictures.length / ((sample.width * sample.height * 3) / 2);
      if (frame < 0 || sample.mediaTime >= start + segmentSeconds - 1e-3 || frame >= count) continue;
      expect(pictureDigest(pictures, frame, sample), `segment ${index}, frame ${frame}`).toBe(sample.digest);
      compared++;
    }
  }
  return compared;
}

// The plugin's rule chooses streams where losses stay, which is how many are repeated in time: at 20 % as fast as the machine is.
describe.each([
  [0, ''],
  [5, ''],
  [20, '&delivery=datagrams'],
  [20, '&delivery=datagrams&refetch=0'],
])('playback over WebTransport at %i % packet loss %s', (lossPercent, parameters) => {
  it('plays to the end unbroken; every delivered segment decodes strictly and as in FFmpeg', async () => {
    const { report, recording } = await play(lossPercent, parameters);
    const refetch = !parameters.includes('refetch=0');
    expect(report.errors).toEqual([]);
    expect(report.ended).toBe(true);
    // dash.js drops what was played 20 s ago: one range, unbroken to the end.
    expect(report.buffered).toHaveLength(1);
    expect(report.buffered[0]![1]).toBeCloseTo(report.duration!, 1);
    const frames = report.segments.reduce((sum, segment) => sum + segment.framesTotal, 0);
    expect(report.totalVideoFrames, `pictures decoded; ${report.stalls} stalls`).toBe(frames);

    const overSession = report.segments.filter((segment) => segment.transport !== 'http');
    // On a crowded machine the first segments may be faster than the handshake; then nothing falls back.
    const first = report.segments.findIndex((segment) => segment.transport !== 'http');
    expect(first).toBeLessThan(report.segments.length / 2);
    expect(overSession).toHaveLength(report.segments.length - first);
    const overDatagrams = overSession.filter(({ transport }) => transport === 'datagrams');
    expect(overDatagrams.length).toBeGreaterThan(overSession.length / 2);
    const repaired = overSession.reduce((sum, segment) => sum + segment.framesRepaired, 0);
    const recovered = overSession.reduce((sum, segment) => sum + segment.bytesRecovered, 0);
    // On a crowded machine the relay's sockets overflow, too: losses that are recovered.
    if (lossPercent === 0) expect(repaired).toBe(0);
    else expect(refetch ? recovered : repaired).toBeGreaterThan(0);

    const { duration, framesTotal } = report.segments[0]!;
    const compared = compareWithFfmpeg(recording, duration, framesTotal / duration);
    expect(compared).toBeGreaterThanOrEqual(MINIMUM_SAMPLED_PICTURES);
    console.log(
      `${lossPercent} % loss: ${report.stalls} stalls, ${frames} frames, ${repaired} repaired, ${recovered} bytes recovered, ` +
        `${recording.segments.length} segments strictly decoded, ${compared} pictures identical`,
    );
  }, 600_000);
});
