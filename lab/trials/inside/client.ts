// The client of a trial: runs in the client's network, drives Chromium, writes down what it saw.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'puppeteer-core';
import { pageOrigin } from '../addresses.js';
import { FILES, type ClientJob, type Job, type Observation, type Outcome } from '../job.js';
import type {} from '../page/types.js';
import { OtherTraffic } from './cross-traffic-client.js';
import { servePageFromHere } from './page-server.js';
import { startReplay } from './replay.js';
import { launchWithQuic, untilServerAnswers } from './server-access.js';

const POLLING_MS = 100;

/** Other traffic is in full swing before playback starts. */
const CROSS_TRAFFIC_LEAD_MS = 3000;

/** A start-up may take this long at the least, however short the video. */
const LEAST_START_PATIENCE = 60;

/** Seconds that playing may take beyond the video and its stalls before something hangs. */
const HANGING = 60;

const TIMER_RESOLUTION_MS = 10;

async function main(folder: string): Promise<void> {
  const job = (JSON.parse(readFileSync(join(folder, FILES.job), 'utf8')) as Job).client;
  // At once: each takes seconds, and the browser asks for nothing before its page is opened.
  const [browser] = await Promise.all([
    launchWithQuic(job, job.paths.count),
    untilServerAnswers(join(folder, FILES.ready)),
  ]);
  try {
    const replay = job.replay && (await startReplay(job.replay));
    const page = await openPage(browser, job);
    await replay?.untilJoin();
    const others = job.crossTraffic && new OtherTraffic(job.crossTraffic, job.seed);
    if (others) await sleep(CROSS_TRAFFIC_LEAD_MS);
    const timers = monitorEventLoopDelay({ resolution: TIMER_RESOLUTION_MS });
    timers.enable();
    others?.playbackBegins();
    const startedAt = Date.now();
    const outcome = await play(page, job);
    replay?.stop();
    const bulkRates = others?.bulkRates() ?? [];
    timers.disable();
    const record = await page.evaluate(() => window.trialPage.record());
    await saveDamagedSegments(page, folder, new Set(record.segments.map(({ index }) => index)));
    if (replay) await saveAppended(page, folder);
    const delay = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - TIMER_RESOLUTION_MS);
    const observation: Observation = {
      ...record,
      outcome,
      bulkRates,
      ...(replay && { availabilityStart: replay.availabilityStart, replayLateMs: replay.lateMs(), startedAt }),
      browser: await browser.version(),
      timerDelay: { p99: delay(timers.percentile(99)), max: delay(timers.max) },
    };
    writeFileSync(join(folder, FILES.observation), JSON.stringify(observation));
  } finally {
    await browser.close();
  }
}

async function openPage(browser: Browser, { page: files, screen, settings, paths }: ClientJob): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport(screen);
  page.on('pageerror', (error) => console.error(`page: ${String(error)}`));
  const origin = pageOrigin(settings.delivery, paths.own);
  // Who comes back to a place finds nothing of it in the browser's cache, which serves requests over HTTP alone.
  if (settings.seekTo) await page.setCacheEnabled(false);
  const address = await servePageFromHere(page, origin, files);
  await page.goto(address);
  await page.waitForFunction('window.trialPage !== undefined');
  return page;
}

async function play(page: Page, { settings, duration, until = Infinity, replay }: ClientJob): Promise<Outcome> {
  await page.evaluate((given) => window.trialPage.start(given), settings);
  const startedAt = Date.now();
  const startPatience = Math.max(LEAST_START_PATIENCE, duration);
  for (;;) {
    await sleep(POLLING_MS);
    const { ended, failed, started, stalled, position } = await page.evaluate(() => window.trialPage.progress());
    if (failed) return 'failed';
    const seconds = (Date.now() - startedAt) / 1000;
    if (ended || position >= until || (replay && seconds >= duration)) return 'ended';
    if (replay) continue;
    if (stalled >= duration || (!started && seconds > startPatience)) return 'hopeless';
    if (seconds > startPatience + stalled + duration + HANGING) return 'failed';
  }
}

async function saveDamagedSegments(page: Page, folder: string, indices: Iterable<number>): Promise<void> {
  for (const index of indices) {
    const text = await page.evaluate((number) => window.trialPage.damagedSegment(number), index);
    if (text !== undefined) writeFileSync(join(folder, FILES.segment(index)), Buffer.from(text, 'base64'));
  }
}

async function saveAppended(page: Page, folder: string): Promise<void> {
  for (let piece = 0; ; piece++) {
    const text = await page.evaluate((number) => window.trialPage.appended(number), piece);
    if (text === '') return;
    appendFileSync(join(folder, FILES.appended), Buffer.from(text, 'base64'));
  }
}

// Whoever started the trial holds the other end; with it gone, so is the use of the trial.
process.stdin.resume().on('end', () => process.exit(1));
await main(process.argv[2]!);
// Sockets of other traffic would keep the process alive.
process.exit();
