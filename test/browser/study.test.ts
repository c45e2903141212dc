import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { startServer } from '../../tools/start/server.mjs';
import type { Sheet, VotesFile } from '../../lab/study/page/votes.mjs';

type Method = Sheet['method'];

const PROGRAMS = join(root, 'lab/study');
/** The page's pauses of two seconds are this much shorter. */
const HASTE = 20;

let folder: string;
let study: string;
let server: Awaited<ReturnType<typeof startServer>>;
let browser: Browser;
/** What each clip is. */
let kinds: Map<string, string>;

const python = (...args: string[]) => execFileSync(venvProgram('python'), args, { cwd: PROGRAMS, encoding: 'utf8' });
const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'voxel-study-'));
  const results = join(folder, 'results');
  study = join(folder, 'study');
  mkdirSync(results);
  python('example_results.py', results);
  const options = ['--method', 'both', '--subjects', '1', '--seconds', '1', '--clips', '1', '--seed', '1'];
  python('main.py', 'make', results, '--out', study, ...options);
  const { clips } = json(join(study, 'key.json')) as { clips: { id: string; kind: string }[] };
  // As analysis reads it: a clip that is shown again is what it was first.
  kinds = new Map(clips.toReversed().map(({ id, kind }) => [id, kind]));
  server = await startServer([join(study, 'site'), '--http-port', '0', '--quic-port', '0']);
  browser = await launchChrome(findChrome()!);
  // Of the browser, not of a page: with the page that asked for it Chromium forgets it for all others, too.
  const session = await browser.target().createCDPSession();
  await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
}, 600_000);

afterAll(async () => {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

const sheetOf = (method: Method) => json(join(study, `site/sheets/${method}-01.json`)) as Sheet;

/** The page after a click on its start. */
async function startedPage(method: Method): Promise<Page> {
  // In a window: a tab behind another one is slow.
  const page = await browser.newPage({ type: 'window' });
  await page.evaluateOnNewDocument((haste) => {
    const wait = window.setTimeout.bind(window);
    window.setTimeout = ((work: () => void, ms = 0) => wait(work, ms / haste)) as typeof window.setTimeout;
  }, HASTE);
  await page.goto(`${server.ready.url}?method=${method}&subject=1`);
  await page.waitForSelector('#method option');
  await page.click('#start');
  return page;
}

/** Votes for every clip in the order of the sheet, and returns the file that is downloaded at the end. */
async function voteAll(
  method: Method,
  voteFor: (clips: readonly string[]) => number,
  give: (page: Page, vote: number) => Promise<void>,
): Promise<{ path: string; csv: string }> {
  const page = await startedPage(method);
  const [{ training, rated } = { training: [], rated: [] }] = sheetOf(method).sittings;
  const items = [...training, ...rated];
  for (const [index, clips] of items.entries()) {
    const progress = `${index < training.length ? 'Practice · ' : ''}${index + 1} of ${items.length}`;
    await page.waitForFunction(
      (text) => {
        const [scale, said] = ['#scale', '#progress'].map((id) => document.querySelector<HTMLElement>(id)!);
        return !scale!.hidden && said!.textContent === text;
      },
      {},
      progress,
    );
    await give(page, voteFor(clips));
  }
  await page.waitForSelector('#end:not([hidden])');
  const path = join(folder, `votes-${method}-01-1.json`);
  await vi.waitUntil(() => existsSync(path), { timeout: 60_000 });
  const csv = await page.$eval('#table', async (link) => (await fetch((link as HTMLAnchorElement).href)).text());
  await page.close();
  return { path, csv };
}

/** The file has every vote as it was given, for the clips of the sheet. */
function expectVotes(path: string, method: Method, voteFor: (clips: readonly string[]) => number): VotesFile {
  const [{ training, rated } = { training: [], rated: [] }] = sheetOf(method).sittings;
  const file = json(path) as VotesFile;
  expect(file).toMatchObject({ format: 1, method, subject: 1, sitting: 1, scripted: false });
  expect(file.votes.map(({ clips, vote, training: isTraining }) => ({ clips, vote, isTraining }))).toEqual([
    ...training.map((clips) => ({ clips, vote: voteFor(clips), isTraining: true })),
    ...rated.map((clips) => ({ clips, vote: voteFor(clips), isTraining: false })),
  ]);
  return file;
}

/** What the analysis finds wrong with a subject's attention. */
function complaints(method: Method, path: string): unknown {
  copyFileSync(path, join(study, 'votes', `${method}.json`));
  const program = `
import json, sys
from pathlib import Path
from checks import failed_checks
from votes import read_key, read_votes
study = Path(sys.argv[1])
key = read_key(study)
print(json.dumps(failed_checks(read_votes(study, sys.argv[2], key), key)))
`;
  return JSON.parse(python('-c', program, study, method));
}

// Most of their time clips play: beside each other.
it.concurrent('saves the votes of an attentive subject, given by keys', async () => {
  const voteFor = ([clip]: readonly string[]) => ({ bad: 1, reference: 5 })[kinds.get(clip!)!] ?? 3;
  const { path, csv } = await voteAll('acr-hr', voteFor, (page, vote) => page.keyboard.press(`${vote as 1 | 3 | 5}`));
  const { votes } = expectVotes(path, 'acr-hr', voteFor);
  expect(new Set(votes.filter(({ training }) => !training).map(({ vote }) => vote))).toEqual(new Set([1, 3, 5]));
  expect(csv.trim().split('\n').slice(1)).toEqual(
    votes.map(({ clips, vote, ms, training }) => `acr-hr,1,1,false,${training},${clips[0]},${vote},${ms}`),
  );
  expect(complaints('acr-hr', path)).toEqual([]);
});

it.concurrent('saves the votes of a careless one, given by clicks, and the clips that are known show it', async () => {
  const isGold = (clips: readonly string[]) => clips[0] === clips[1];
  const voteFor = (clips: readonly string[]) => (isGold(clips) ? 2 : kinds.get(clips[1]!) === 'bad' ? 5 : 4);
  const { path } = await voteAll('dcr', voteFor, async (page, vote) => {
    // From 5 down to 1.
    await page.click(`#answers li:nth-child(${6 - vote}) button`);
  });
  const { votes } = expectVotes(path, 'dcr', voteFor);
  expect(votes.filter(({ clips, training }) => isGold(clips) && !training)).toHaveLength(1);
  expect(complaints('dcr', path)).toEqual([
    expect.stringContaining('gave 5 to a clip known to be bad'),
    expect.stringContaining('gave 2 to a reference beside itself'),
  ]);
});

it('says so where a clip cannot be played, instead of waiting for it', async () => {
  const page = await browser.newPage();
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const isClip = request.url().endsWith('.mp4');
    void (isClip ? request.respond({ contentType: 'video/mp4', body: 'no video' }) : request.continue());
  });
  await page.goto(`${server.ready.url}?method=acr-hr&subject=1`);
  await page.waitForSelector('#method option');
  await page.click('#start');
  await page.waitForFunction(() => document.querySelector('#problem')!.textContent !== '');
  expect(await page.$eval('#problem', ({ textContent }) => textContent)).toMatch(/^a clip cannot be played: ./);
  await page.close();
});
