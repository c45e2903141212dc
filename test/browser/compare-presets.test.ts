import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type {} from '../../demo/compare/voxel-compare.js';
import { startControlServer } from '../../tools/compare/control-server.mjs';
import { startPrograms } from '../../tools/compare/programs.mjs';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { prepareClip } from './support/clip.js';

const SECONDS = 8;
const SEGMENT_SECONDS = 2;
/** A busy machine is late with the encoder and with the players: seen with one segment after 20 s. */
const LIVE_SECONDS = 30;

const link = (rate: number) => ({ trace: { step: 1, rates: [rate] }, delayMs: 10, queuePackets: 32 });

const PRESETS = [
  { id: 'paths', title: 'One slow link and one fast one', about: '', link: link(1e5), second: link(3e6) },
  { id: 'live', title: 'A live stream', about: '', link: link(3e6), isLive: true },
];

let folder: string;
let programs: Awaited<ReturnType<typeof startPrograms>>;
let control: Awaited<ReturnType<typeof startControlServer>>;
let browser: Browser;

beforeAll(async () => {
  await ensureBuild();
  folder = mkdtempSync(join(tmpdir(), 'voxel-presets-'));
  programs = await startPrograms(await prepareClip(folder, { seconds: SECONDS, segmentSeconds: SEGMENT_SECONDS }));
  control = await startControlServer({
    ...{ page: join(root, 'dist/compare'), port: 0, presets: PRESETS, recordTo: undefined },
    program: async (isLive) => ({ ...(await programs.program(isLive)), duration: isLive ? LIVE_SECONDS : SECONDS }),
    content: { commit: 'test', server: 'aioquic', records: false },
  });
  browser = await launchChrome(findChrome()!);
}, 600_000);

afterAll(async () => {
  await browser.close();
  control.close();
  await programs.stop();
  rmSync(folder, { recursive: true });
});

async function start(preset: string): Promise<Page> {
  const page = await browser.newPage();
  const session = await page.createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
  await page.goto(`${control.url}?preset=${preset}&buffer=1`);
  await page.waitForFunction(() => Object.hasOwn(window, 'voxelCompare'));
  await page.click('#start');
  await page.waitForFunction(() => (window.voxelCompare.report()?.elapsed ?? 0) > 0);
  return page;
}

/** A busy machine opens a session late, or has an index late, which on a slow link shares that with sound: segments come over HTTP then. */
const isEarly = (fallback: string): boolean => / (?:session-opening|index-late): /.test(fallback);
/** And its encoder is late with a segment, for VOXEL and for dash.js alone. */
const isUnfinished = (complaint: string): boolean =>
  /status: the server answered 404$|^dash\.js 27: .* is not available$/.test(complaint);

async function reportOf(page: Page) {
  await page.waitForFunction(() => window.voxelCompare.hasEnded, { timeout: 120_000 });
  const report = (await page.evaluate(() => window.voxelCompare.report()))!;
  const mayBe = (complaint: string) => isEarly(complaint) || (report.preset.isLive && isUnfinished(complaint));
  for (const { errors, fallbacks } of report.players)
    expect([...errors, ...fallbacks].filter((complaint) => !mayBe(complaint))).toEqual([]);
  return report;
}

/** Segments of a player that the page knows: all but those that dash.js loaded itself, as their index was late. */
function expectSegments({ segments, fallbacks }: { segments: number; fallbacks: readonly string[] }): void {
  const late = fallbacks.filter((fallback) => / index-late: /.test(fallback)).length;
  expect(segments).toBeGreaterThanOrEqual(SECONDS / SEGMENT_SECONDS - late);
}

it('two links: VOXEL has both, dash.js the first; a clip of them is saved', async () => {
  const page = await start('paths');
  await page.click('#clip');
  const [dynamic, ...voxels] = (await reportOf(page)).players;
  for (const voxel of voxels) {
    expect(voxel.hasEnded).toBe(true);
    expectSegments(voxel);
    expect(voxel.waited).toBeLessThan(dynamic!.waited / 2);
  }
  const clip = join(folder, 'voxel-compare.webm');
  await vi.waitFor(() => expect(existsSync(clip)).toBe(true), 30_000);
  // EBML, and more than its head.
  expect(readFileSync(clip).readUInt32BE()).toBe(0x1a45dfa3);
  expect(readFileSync(clip).length).toBeGreaterThan(10_000);
  await page.close();
});

it('the slider changes the links while they play', async () => {
  const page = await start('paths');
  await page.focus('#scale');
  for (let step = 0; step < 20; step++) await page.keyboard.press('ArrowRight');
  expect(await page.$eval('#scale-value', (output) => output.textContent)).toBe('400 %');
  // The first link's 0.1 Mbit/s are not enough for 8 s of the lowest representation in less than that.
  const { players, settings } = await reportOf(page);
  expect(settings.scale).toBe(4);
  expect(players[0]).toMatchObject({ hasEnded: true, segments: 4 });
  await page.close();
});

it('a live stream: all play what is encoded now, and its frames can be looked at', async () => {
  const page = await start('live');
  const { players } = await reportOf(page);
  for (const { segments, latency, ssim } of players) {
    expect(segments).toBeGreaterThan(1);
    expect(latency).toBeGreaterThan(0.5);
    expect(ssim).toBeGreaterThan(0.5);
  }
  await page.$eval('.datagrams .frames-strip', (strip) => (strip as SVGElement).focus());
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelectorAll('#pictures canvas').length >= 3, { timeout: 60_000 });
  await page.close();
});
