import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import { servePlayerPage, type PlayerServer } from '../../test/browser/support/player-page.js';
import { startLane } from '../../tools/link/lane.mjs';
import { seededRandom } from '../../tools/link/random.mjs';
import { ensureChrome } from '../../tools/setup/chrome.mjs';
import { integerOption } from '../../tools/setup/command-line.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { prepareVideo } from '../../tools/start/prepare.mjs';
import { atMost, barLine, type Bar } from '../sim/report/bar.js';
import { FROM_ANYWHERE, servePageFromHere } from '../trials/inside/page-server.js';
import { bundlePage, type PageFiles } from '../trials/page-bundle.js';
import type { PlaybackRecord } from '../trials/page/types.js';
import { pairsOf, type Pair } from './summary/own-measures.js';

const SECONDS = 24;

export const usage = `npm run bench -- summary [--sessions N] [--json]: voxel.summary() beside the measures of trials, over N (10) sessions of the sample's
first ${SECONDS} seconds on unsteady links, every third of a viewer who jumps: the trials' own page plays, and its recorders (the
media element's events, every picture, the segments as they were delivered) say what the summary must say, times within a picture. Needs no
privileges. --json: one object on standard output. Exit code 1 where a figure differs.`;

export const options = {
  json: { type: 'boolean', default: false },
  sessions: { type: 'string', default: '10' },
} as const;

const SEGMENT_SECONDS = 4;

/** Media times of who jumps, s: forth, further than the buffer holds, and back. */
const JUMPS = [13.2, 3.4, 17.1];

/** An unsteady link, around what half of the ladder needs, with outages; bit/s. */
const RATES = { low: 0.2e6, high: 2.2e6, seconds: 200 };
const LINK = { delayMs: 30, queuePackets: 40, loss: { percent: 2 } };

/** Seconds after which a session is over, whatever it does. */
const PATIENCE = 120;
const POLLING_MS = 100;

interface Session {
  readonly seed: number;
  readonly jumps: boolean;
  readonly pairs: readonly Pair[];
}

interface Stage {
  readonly browser: Browser;
  readonly server: PlayerServer;
  readonly files: PageFiles;
}

/** Measures and prints. Throws a `UserError`. */
export async function main(values: { json: boolean; sessions: string }): Promise<Bar[]> {
  const count = integerOption('sessions', values.sessions, { low: 1, high: 1000 });
  const sessions = await withStage(async (stage) => {
    const played: Session[] = [];
    for (let seed = 1; seed <= count; seed++) {
      const jumps = seed % 3 === 0;
      const record = await play(stage, seed, jumps);
      const session = { seed, jumps, pairs: pairsOf(record) };
      played.push(session);
      if (!values.json) console.log(linesOf(session));
    }
    return played;
  });
  const bars = barsOf(sessions);
  console.log(values.json ? JSON.stringify({ sessions, bars }) : bars.map(barLine).join('\n'));
  return bars;
}

async function withStage<Result>(use: (stage: Stage) => Promise<Result>): Promise<Result> {
  await ensureBuild();
  const folder = mkdtempSync(join(tmpdir(), 'voxel-summary-'));
  const server = await servePlayerPage(folder, await prepareVideo({ video: undefined, duration: undefined }));
  try {
    const browser = await launchChrome(await ensureChrome(), [FROM_ANYWHERE]);
    try {
      return await use({ browser, server, files: await bundlePage() });
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function play(
  { browser, server: { ready }, files }: Stage,
  seed: number,
  jumps: boolean,
): Promise<PlaybackRecord> {
  const random = seededRandom(seed);
  const rates = Array.from({ length: RATES.seconds }, () => RATES.low + random() ** 2 * (RATES.high - RATES.low));
  const link = { ...LINK, trace: { step: 1, rates } };
  const lane = await startLane(link, { httpPort: Number(new URL(ready.url).port), quicPort: ready.quicPort, seed });
  const page = await browser.newPage({ type: 'window' });
  try {
    const address = await servePageFromHere(page, `http://127.0.0.1:${lane.tcpPort}`, files);
    await page.goto(address);
    await page.evaluate((settings) => window.trialPage.start(settings), {
      manifest: '/media/manifest.mpd',
      player: { kind: 'voxel', rule: 'abr-star', strategy: 'voxel' } as const,
      delivery: 'datagrams' as const,
      bufferSegments: 1,
      segmentDuration: SEGMENT_SECONDS,
      endpoint: { url: `https://127.0.0.1:${lane.udpPort}/voxel`, certificateHashes: ready.certificateHashes },
      ...(jumps && { seekTo: JUMPS }),
    });
    const deadline = Date.now() + 1000 * PATIENCE;
    while (Date.now() < deadline) {
      const { ended, position } = await page.evaluate(() => window.trialPage.progress());
      if (ended || (!jumps && position >= SECONDS)) break;
      await sleep(POLLING_MS);
    }
    return await page.evaluate(() => window.trialPage.record());
  } finally {
    await page.close();
    lane.close();
  }
}

const linesOf = ({ seed, jumps, pairs }: Session): string =>
  [
    `session ${seed}${jumps ? ', with jumps' : ''}: summary | trials`,
    ...pairs.map(({ name, plugin, trials }) => `  ${name}: ${figure(plugin)} | ${figure(trials)}`),
  ].join('\n');

const figure = (value: number): string => String(Number(value.toFixed(4)));

/** The largest difference of each figure, as a share of what it may be; where it may be none, of any. */
function barsOf(sessions: readonly Session[]): Bar[] {
  const names = sessions[0]!.pairs.map(({ name }) => name);
  return names.map((name) => {
    const shares = sessions.flatMap(({ pairs }) =>
      pairs
        .filter((pair) => pair.name === name)
        .map(({ plugin, trials, tolerance }) => {
          const difference = Math.abs(plugin - trials);
          return difference === 0 ? 0 : difference / tolerance;
        }),
    );
    return atMost(`${name}: largest difference, in what it may be`, Math.max(...shares), 1);
  });
}
