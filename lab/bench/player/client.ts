// The client's end of the bench: runs in the client's network, plays in fresh browser contexts, prints what it saw.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'puppeteer-core';
import { pageOrigin } from '../../trials/addresses.js';
import { servePageFromHere } from '../../trials/inside/page-server.js';
import { launchWithQuic, untilServerAnswers } from '../../trials/inside/server-access.js';
import type { BenchJob, BenchPage, Measurements, Pair, PlayerName } from './job.js';

declare global {
  interface Window {
    benchPage: BenchPage;
  }
}

async function main(file: string): Promise<void> {
  const job = JSON.parse(readFileSync(file, 'utf8')) as BenchJob;
  await untilServerAnswers(job.ready);
  const browser = await launchWithQuic(job);
  try {
    // The browser's own first steps are nobody's.
    for (const player of ['plain', 'voxel'] as const) await startUp(browser, job, player);
    const startup = await pairs(job.startups, (player) => startUp(browser, job, player));
    const cpu = await pairs(job.playbacks.pairs, (player) => mainThreadShare(browser, job, player));
    process.stdout.write(JSON.stringify({ startup, cpu } satisfies Measurements));
  } finally {
    await browser.close();
  }
}

/** One after the other, and who goes first takes turns: what else the machine does falls on both. */
async function pairs(count: number, measure: (player: PlayerName) => Promise<number>): Promise<Pair[]> {
  const measured: Pair[] = [];
  for (let pair = 0; pair < count; pair++) {
    const order: PlayerName[] = pair % 2 === 0 ? ['plain', 'voxel'] : ['voxel', 'plain'];
    const figures = { plain: 0, voxel: 0 };
    for (const player of order) figures[player] = await measure(player);
    measured.push(figures);
    process.stderr.write(
      `pair ${pair + 1} of ${count}: plain ${figures.plain.toFixed(3)}, voxel ${figures.voxel.toFixed(3)}\n`,
    );
  }
  return measured;
}

/** Seconds from `initialize()` to the first frame, at a first visit. */
function startUp(browser: Browser, job: BenchJob, player: PlayerName): Promise<number> {
  return withPage(browser, job, (page) =>
    page.evaluate((name, settings) => window.benchPage.startUp(name, settings), player, job.settings),
  );
}

/** Processor time of the page's main thread, seconds for each played second. */
function mainThreadShare(browser: Browser, job: BenchJob, player: PlayerName): Promise<number> {
  return withPage(browser, job, async (page) => {
    await page.evaluate((name, settings) => window.benchPage.play(name, settings), player, job.playbacks.settings);
    const session = await page.createCDPSession();
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const look = async (): Promise<{ busy: number; played: number }> => {
      const { metrics } = await session.send('Performance.getMetrics');
      const played = await page.evaluate(() => document.querySelector('video')!.currentTime);
      return { busy: metrics.find(({ name }) => name === 'TaskDuration')!.value, played };
    };
    await page.waitForFunction((from) => document.querySelector('video')!.currentTime >= from, {}, job.playbacks.from);
    const before = await look();
    await sleep(1000 * job.playbacks.seconds);
    const after = await look();
    return (after.busy - before.busy) / (after.played - before.played);
  });
}

/** A context of its own has no connection, no cache and no session ticket from before. */
async function withPage<Result>(
  browser: Browser,
  job: BenchJob,
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context = await browser.createBrowserContext();
  try {
    const page = await context.newPage();
    await page.goto(await servePageFromHere(page, pageOrigin('http3'), job.page));
    return await use(page);
  } finally {
    await context.close();
  }
}

await main(process.argv[2]!);
process.exit();
