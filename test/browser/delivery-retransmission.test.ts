import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SegmentRecord } from '../../player/index.js';
import { startRelay } from '../../tools/start/relay.mjs';
import { prepareClip } from './support/clip.js';
import { mediaOf } from './support/manifests.js';
import {
  openPage,
  outcomeOf,
  pauseUntilRefetched,
  playedIndices,
  playToEnd,
  playUntil,
  servePlayerPage,
  startPlayer,
  type TestedOptions,
} from './support/player-page.js';
import { playerStage } from './support/player-stage.js';
import { strictDecode } from './support/strict-decode.js';

const clip = { seconds: 20, segmentSeconds: 2 };

let page: Page;

const stage = playerStage(async (folder) => servePlayerPage(folder, await prepareClip(folder, clip)));

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

interface DeliveredBytes {
  readonly index: number;
  readonly representation: string;
  readonly bytesRefetched: number;
  readonly base64: string;
}

declare global {
  interface Window {
    deliveries: DeliveredBytes[];
  }
}

/** Keeps every segment that dash.js gets, in the order in which it gets them. */
function keepDeliveries(): Promise<void> {
  return page.evaluate(() => {
    window.deliveries = [];
    window.players[0]!.handle!.on('delivered', ({ record, data }) => {
      const { index, representation, bytesRefetched } = record;
      const base64 = btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(''));
      window.deliveries.push({ index, representation, bytesRefetched, base64 });
    });
  });
}

/** Starts a player behind a relay that loses 10 % of the packets. */
async function startLossy(options: TestedOptions): Promise<Awaited<ReturnType<typeof startRelay>>> {
  const relay = await startRelay({ lossPercent: 10, seed: 3 });
  relay.connect(stage.server.ready.quicPort);
  const url = `https://127.0.0.1:${relay.port}/voxel`;
  await startPlayer(page, {
    endpoint: { url, certificateHashes: stage.server.ready.certificateHashes },
    // Takes whole segments as datagrams, whatever the link.
    abr: 'dashjs',
    bufferSegments: 2,
    ...options,
  });
  return relay;
}

function sumOf(
  segments: readonly SegmentRecord[],
  field: 'bytesLost' | 'bytesRepeated' | 'bytesRecovered' | 'bytesRefetched' | 'bytesUnreliable',
): number {
  return segments.reduce((total, segment) => total + segment[field], 0);
}

describe('at 10 % packet loss', () => {
  it('recovers what is lost while its segment is on its way: nothing is missing, and nothing appended twice', async () => {
    const relay = await startLossy({});
    await playUntil(page);
    relay.close();
    const { errors, ended, buffered, frames, fallbacks, statistics } = await outcomeOf(page);
    expect({ errors, ended }).toEqual({ errors: [], ended: true });
    expect(buffered).toHaveLength(1);
    expect(frames).toBeGreaterThanOrEqual(clip.seconds * 25);
    const { segments } = statistics!;
    const played = playedIndices({ statistics, fallbacks });
    expect(played).toEqual([...Array(clip.seconds / clip.segmentSeconds).keys()]);
    const [lost, repeated, recovered, refetched, unreliable] = (
      ['bytesLost', 'bytesRepeated', 'bytesRecovered', 'bytesRefetched', 'bytesUnreliable'] as const
    ).map((field) => sumOf(segments, field));
    console.log(
      `${recovered} of ${repeated} repeated bytes recovered, ${refetched} fetched later, ${lost} remain lost`,
    );
    expect(recovered!).toBeGreaterThan(0.05 * unreliable!);
    expect(lost! + refetched!).toBeLessThan(0.01 * unreliable!);
  });

  it('fetches in pauses what was left out, and puts it into the buffer before it is played', async () => {
    const relay = await startLossy({ abr: 'half' });
    await keepDeliveries();
    await pauseUntilRefetched(page);
    await playToEnd(page);
    relay.close();
    const { errors, ended, buffered, statistics } = await outcomeOf(page);
    expect({ errors, ended }).toEqual({ errors: [], ended: true });
    expect(buffered).toHaveLength(1);
    expect(sumOf(statistics!.segments, 'bytesRefetched')).toBeGreaterThan(0);

    const deliveries = await page.evaluate(() => window.deliveries);
    const improved = deliveries.filter(({ bytesRefetched }) => bytesRefetched > 0);
    expect(improved.length).toBeGreaterThan(0);
    for (const { representation, base64 } of improved) {
      const file = mediaOf(join(stage.folder, 'media'), representation);
      expect(strictDecode(file.subarray(0, initLength(file)), Buffer.from(base64, 'base64')).length).toBeGreaterThan(0);
    }
  });

  it('fetches nothing again where the page does not want it', async () => {
    const relay = await startLossy({ refetch: false });
    await playUntil(page, clip.seconds / 2);
    relay.close();
    const { errors, statistics } = await outcomeOf(page);
    expect(errors).toEqual([]);
    expect(sumOf(statistics!.segments, 'bytesLost')).toBeGreaterThan(0);
    expect(sumOf(statistics!.segments, 'bytesRefetched')).toBe(0);
    expect(sumOf(statistics!.segments, 'bytesRepeated')).toBe(0);
  });
});

/** Everything before the first segment: `ftyp` and `moov`. */
function initLength(file: Buffer): number {
  let at = 0;
  while (file.toString('latin1', at + 4, at + 8) !== 'moov') at += file.readUInt32BE(at);
  return at + file.readUInt32BE(at);
}
