import type { Page } from 'puppeteer-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { prepareClip } from './support/clip.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playToEnd,
  playUntil,
  servePlayerPage,
  startPlayer,
} from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const clip = { seconds: 10, segmentSeconds: 2 };

let page: Page;

const stage = playerStage(async (folder) => servePlayerPage(folder, await prepareClip(folder, clip)));

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

async function expectPlaybackOn(thread: 'worker' | 'page'): Promise<void> {
  // A short buffer: the last segments are asked for seconds after the first, when the session has opened on any machine.
  await startPlayer(page, { bufferSegments: 1 });
  await playToEnd(page, { seconds: 6 });
  const outcome = await outcomeOf(page);
  const { errors, ended, sessions, statistics } = outcome;
  expect({ errors, ended }).toEqual({ errors: [], ended: true });
  expect(sessions).toMatchObject([{ state: 'opened', thread }]);
  expect(fallbacksOnceReady(outcome)).toEqual([]);
  expect(statistics!.segments.at(-1)!.delivery).not.toBe('http');
}

it('runs the session in a worker, whose page never sees a datagram', async () => {
  // The page's own constructor would be used for a session on its thread; a worker has one of its own.
  await page.evaluate(() => {
    window.WebTransport = function () {
      throw new Error('used on the page');
    } as unknown as typeof WebTransport;
  });
  await expectPlaybackOn('worker');
  expect(page.workers()).toHaveLength(1);
});

describe('where the page forbids workers', () => {
  beforeEach(() =>
    page.evaluate(() => {
      const policy = document.createElement('meta');
      policy.httpEquiv = 'Content-Security-Policy';
      policy.content = "worker-src 'none'";
      document.head.append(policy);
    }),
  );

  it('the full build goes on without one, and says so', async () => {
    await expectPlaybackOn('page');
    expect(page.workers()).toHaveLength(0);
  });

  it('the plain build plays over HTTP, and says what the page would have to allow', async () => {
    await page.addScriptTag({ url: '/dist/umd/voxel-dash.js' });
    await startPlayer(page);
    await playToEnd(page);
    const { errors, ended, sessions, statistics } = await outcomeOf(page);
    expect({ errors, ended }).toEqual({ errors: [], ended: true });
    expect(sessions).toMatchObject([{ state: 'failed', code: 'unsupported' }]);
    expect(sessions[0]).toHaveProperty('message', expect.stringContaining('worker-src blob:'));
    expect(new Set(statistics!.segments.map(({ delivery }) => delivery))).toEqual(new Set(['http']));
  });
});

it('leaves no worker behind when it is detached', async () => {
  await startPlayer(page);
  await playUntil(page, 1);
  expect(page.workers()).toHaveLength(1);
  await page.evaluate(() => window.players[0]!.handle!.detach());
  await expect.poll(() => page.workers().length, { timeout: 60_000 }).toBe(0);
});
