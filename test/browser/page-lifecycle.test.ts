import { readdirSync, readFileSync } from 'node:fs';
import puppeteer, { type Page } from 'puppeteer-core';
import { afterAll, expect, it } from 'vitest';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { prepareClip } from './support/clip.js';
import { blackHole, noFault, startFaultRelay, type FaultRelay } from './support/fault-relay.js';
import { openPage, outcomeOf, playUntil, servePlayerPage, startPlayer } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const clip = { seconds: 20, segmentSeconds: 2 };
/** Longer than downloads wait for a byte. */
const SLEEP_MS = 11_000;
/** Shorter and longer than dash.js tries a segment again. */
const OFFLINE_SECONDS = [6, 20];

const stage = playerStage(
  async (folder) => servePlayerPage(folder, await prepareClip(folder, clip)),
  () =>
    puppeteer.launch({
      executablePath: findChrome()!,
      headless: true,
      pipe: true,
      args: ['--no-sandbox', '--disable-gpu', '--autoplay-policy=no-user-gesture-required'],
      // Puppeteer's own.
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    }),
);

/** Closed when no test goes on. */
const relays: FaultRelay[] = [];
afterAll(() => relays.forEach((relay) => relay.close()));

/** A test with a page of its own. */
const withPage = (test: (page: Page) => Promise<void>) => async (): Promise<void> => {
  const page = await openPage(stage.browser, stage.server.ready.url);
  try {
    await test(page);
  } finally {
    await page.close();
  }
};

const elapsed = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function sessionOpens(page: Page, times: number): Promise<void> {
  await page.waitForFunction(
    (times) => window.players[0]!.sessions.filter(({ state }) => state === 'opened').length >= times,
    {},
    times,
  );
}

/** It goes on over the session, and nothing has failed. */
async function expectPlaybackGoesOn(page: Page): Promise<void> {
  const { currentTime } = await outcomeOf(page);
  await playUntil(page, Math.min(currentTime + 5, clip.seconds - 1));
  const { errors, sessions, statistics } = await outcomeOf(page);
  expect(errors).toEqual([]);
  expect(sessions.at(-1)).toMatchObject({ state: 'opened' });
  expect(statistics!.segments.at(-1)!.delivery).not.toBe('http');
}

// These only wait: beside each other.
it.concurrent(
  'plays on when the page comes back out of the back-forward cache',
  withPage(async (page) => {
    await startPlayer(page, { bufferSegments: 1 });
    await sessionOpens(page, 1);
    await playUntil(page, 1);
    await page.evaluate(() => window.addEventListener('pageshow', ({ persisted }) => (window.wasCached = persisted)));
    await page.goto(`${stage.server.ready.url}dist/`).catch(() => undefined);
    await page.evaluate(() => history.back()).catch(() => undefined);
    await page.waitForFunction(() => 'wasCached' in window || performance.now() < 1000);
    const reasons = await page.evaluate(() => {
      const [entry] = performance.getEntriesByType('navigation');
      return JSON.stringify((entry as unknown as { notRestoredReasons: unknown }).notRestoredReasons);
    });
    expect({ wasCached: await page.evaluate(() => window.wasCached), reasons }).toEqual({
      wasCached: true,
      reasons: 'null',
    });
    await sessionOpens(page, 2);
    await page.evaluate(() => window.players[0]!.video.play());
    await expectPlaybackGoesOn(page);
    const { sessions } = await outcomeOf(page);
    expect(sessions).toMatchObject([
      { state: 'opened' },
      { state: 'closed', code: 'session-closed', message: 'the page was put aside' },
      { state: 'opened' },
    ]);
  }),
);

declare global {
  interface Window {
    wasCached?: boolean;
  }
}

it.concurrent.each(OFFLINE_SECONDS)('plays on when the network is gone for %d s', (seconds) =>
  withPage(async (page) => {
    const relay = await startFaultRelay(stage.server.ready.quicPort);
    relays.push(relay);
    const url = `https://127.0.0.1:${relay.port}/voxel`;
    const { certificateHashes } = stage.server.ready;
    await startPlayer(page, { endpoint: { url, certificateHashes }, bufferSegments: 2 });
    await sessionOpens(page, 1);
    await playUntil(page, 1);
    relay.fault = blackHole;
    await page.setOfflineMode(true);
    await elapsed(seconds * 1000);
    relay.fault = noFault;
    await page.setOfflineMode(false);
    await expectPlaybackGoesOn(page);
  })(),
);

// All of the browser sleeps.
it(
  'plays on when the machine has slept',
  withPage(async (page) => {
    await startPlayer(page, { bufferSegments: 1 });
    await sessionOpens(page, 1);
    // Listed before: that may take as long as the clip lasts.
    const processes = [stage.browser.process()!.pid!, ...descendantsOf(stage.browser.process()!.pid!)];
    await playUntil(page, 1);
    const asleep = processes.filter((process_) => signal(process_, 'SIGSTOP'));
    await elapsed(SLEEP_MS);
    for (const process_ of asleep) signal(process_, 'SIGCONT');
    await expectPlaybackGoesOn(page);
    const { fallbacks, sessions } = await outcomeOf(page);
    // At most the segment that was under way.
    expect(
      fallbacks.filter(({ code }) => code !== 'session-opening' && code !== 'index-late').length,
    ).toBeLessThanOrEqual(1);
    expect(sessions.filter(({ state }) => state !== 'opened').length).toBeLessThanOrEqual(1);
  }),
);

/** False for a process that has ended: Chromium ends spare renderers when it likes. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

function descendantsOf(parent: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === parent);
  return children.flatMap((child) => [Number(child), ...descendantsOf(Number(child))]);
}

/** Undefined for a process that has ended. */
function parentOf(process_: string): number | undefined {
  try {
    const [, fields] = readFileSync(`/proc/${process_}/stat`, 'latin1').split(') ');
    return Number(fields!.split(' ')[1]);
  } catch {
    return undefined;
  }
}
