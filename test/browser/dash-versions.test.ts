import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaPlayerClass } from 'dashjs';
import { describe, expect, it, test } from 'vitest';
import type { DashPlayer } from '../../player/index.js';
import { root } from '../../tools/setup/paths.mjs';
import { startRelay } from '../../tools/start/relay.mjs';
import { prepareClip } from './support/clip.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  pauseUntilRefetched,
  playedIndices,
  playToEnd,
  playUntil,
  servePlayerPage,
  startPlayer,
} from './support/player-page.js';
import { openForEach, playerStage } from './support/player-stage.js';

const clip = { seconds: 10, segmentSeconds: 2 };
const SEGMENTS = clip.seconds / clip.segmentSeconds;

/** The newest of each minor version, as package.json names them. */
const PACKAGES = ['dashjs-5.0', 'dashjs-5.1', 'dashjs'];

function versionOf(name: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

const stage = playerStage(async (folder) => {
  const mounts = PACKAGES.flatMap((name) => [
    '--mount',
    `/${name}=${join(root, 'node_modules', name, 'dist/modern/umd')}`,
  ]);
  return servePlayerPage(folder, await prepareClip(folder, clip), ...mounts.slice(0, -2));
});

test('the versions played here are those that the package asks for', () => {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    peerDependencies: { dashjs: string };
  };
  const minors = PACKAGES.map((name) => versionOf(name).split('.').slice(0, 2).join('.'));
  expect(minors).toEqual(['5.0', '5.1', '5.2']);
  expect(peerDependencies.dashjs).toBe('>=5.0.3 <5.3.0');
});

describe.each(PACKAGES.map((name) => ({ name, version: versionOf(name) })))('dash.js $version', ({ name, version }) => {
  openForEach(async () => {
    const page = await openPage(stage.browser, stage.server.ready.url);
    await page.addScriptTag({ url: `/${name}/dash.all.min.js` });
    return page;
  });

  it('plays to the end what is recovered on the way, and what is left out at first and put into the buffer later', async ({
    page,
  }) => {
    const relay = await startRelay({ lossPercent: 12, seed: 11 });
    relay.connect(stage.server.ready.quicPort);
    const url = `https://127.0.0.1:${relay.port}/voxel`;
    await startPlayer(page, {
      abr: 'half',
      bufferSegments: 2,
      endpoint: { url, certificateHashes: stage.server.ready.certificateHashes },
    });
    expect(await page.evaluate(() => window.players[0]!.player.getVersion())).toBe(version);
    await pauseUntilRefetched(page);
    await playToEnd(page);
    relay.close();
    const { statistics, ...outcome } = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true });
    expect(fallbacksOnceReady(outcome)).toEqual([]);
    expect(outcome.buffered).toHaveLength(1);
    const played = new Set(playedIndices({ ...outcome, statistics }));
    expect([...played].sort()).toEqual([...Array(SEGMENTS).keys()]);
    expect(statistics!.segments.some(({ bytesRecovered }) => bytesRecovered > 0)).toBe(true);
    expect(statistics!.segments.some(({ bytesRefetched }) => bytesRefetched > 0)).toBe(true);
  });

  it('plays by the plugin’s rule, goes on after a seek and at a pinned quality', async ({ page }) => {
    await startPlayer(page, { bufferSegments: 1 });
    await playUntil(page, 1);
    expect((await outcomeOf(page)).statistics!.decisions).toBeGreaterThan(0);
    await page.evaluate(() => {
      const player = window.players[0]!.player as DashPlayer & MediaPlayerClass;
      player.updateSettings({ streaming: { abr: { autoSwitchBitrate: { video: false } } } });
      player.setRepresentationForTypeByIndex('video', 0, true);
      player.seek(6);
    });
    await playToEnd(page, { seconds: 6.5 });
    const { statistics, ...outcome } = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true });
    expect(fallbacksOnceReady(outcome)).toEqual([]);
    const lowest = await page.evaluate(() => window.players[0]!.player.getRepresentationsByType('video')[0]!.id);
    expect(statistics!.segments.at(-1)).toMatchObject({ index: SEGMENTS - 1, representation: lowest });
  });

  // The rest of these does not depend on when anything comes: beside each other.
  it.concurrent('plays over HTTP where there is no WebTransport, and says so', async ({ page }) => {
    await page.evaluate(() => Reflect.deleteProperty(window, 'WebTransport'));
    await startPlayer(page);
    await playToEnd(page);
    const { statistics, ...outcome } = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true });
    expect(statistics!.segments.every(({ delivery }) => delivery === 'http')).toBe(true);
    expect(outcome.sessions[0]).toMatchObject({ state: 'failed', code: 'unsupported' });
  });

  it.concurrent('is plain dash.js again after detaching', async ({ page }) => {
    await startPlayer(page, { bufferSegments: 1 });
    await playUntil(page, 1);
    const before = await page.evaluate(() => {
      const { handle } = window.players[0]!;
      handle!.detach();
      return handle!.statistics().segments.length;
    });
    await playToEnd(page);
    const { statistics, ...outcome } = await outcomeOf(page);
    expect(outcome).toMatchObject({ errors: [], ended: true });
    // The segment that was on its way in pieces is brought to its end.
    expect(statistics!.segments.length - before).toBeLessThanOrEqual(1);
  });
});
