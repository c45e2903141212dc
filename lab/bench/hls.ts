import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fallbacksOnceReady } from '../../test/browser/support/player-page.js';
import {
  errorsOfHls,
  HLS_PACKAGES,
  isStall,
  outcomeOfHls,
  playHlsUntil,
  serveHlsPage,
  startHls,
  type HlsOutcome,
} from '../../test/browser/support/hls-page.js';
import { ensureChrome } from '../../tools/setup/chrome.mjs';
import { choiceOption, numberOption } from '../../tools/setup/command-line.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { prepareVideo } from '../../tools/start/prepare.mjs';
import { startRelay } from '../../tools/start/relay.mjs';
import { atLeast, atMost, barLine, type Bar } from '../sim/report/bar.js';

export const usage = `npm run bench -- hls [--json] [--loss P] [--package NAME]: the minute of the sample in hls.js, over datagrams, while a relay drops P % (5)
of the server's packets: errors, stalls, how segments came, what was lost and recovered. NAME: one of ${HLS_PACKAGES.join(', ')} (hls.js,
the newest). --json: one object on standard output. Exit code 1 where playback fails or a segment falls back once the session is open.`;

export const options = {
  json: { type: 'boolean', default: false },
  loss: { type: 'string', default: '5' },
  package: { type: 'string', default: 'hls.js' },
} as const;

const SAMPLE_SECONDS = 60;
/** Segments of the sample that may be asked for before the session is open. */
const EARLY = 2;

/** Measures and prints. Throws a `UserError`. */
export async function main(values: { json: boolean; loss: string; package: string }): Promise<Bar[]> {
  const lossPercent = numberOption('loss', values.loss, { low: 0, high: 99 });
  choiceOption('package', values.package, HLS_PACKAGES);
  const report = reportOf(await play(lossPercent, values.package));
  const bars = [
    atMost('errors', report.errors.length, 0),
    atMost('fallbacks once the session is open', report.fallbacks, 0),
    atLeast('seconds played', report.seconds, SAMPLE_SECONDS - 0.1),
    atLeast('segments over the session', report.segments - report.byHttp, report.segments - EARLY),
  ];
  console.log(values.json ? JSON.stringify({ ...report, bars }) : [linesOf(report), ...bars.map(barLine)].join('\n'));
  return bars;
}

async function play(lossPercent: number, name: string): Promise<HlsOutcome> {
  await ensureBuild();
  const media = await prepareVideo({ video: undefined, duration: undefined });
  const folder = mkdtempSync(join(tmpdir(), 'voxel-hls-'));
  const server = await serveHlsPage(folder, media);
  const relay = await startRelay({ lossPercent, seed: 11 });
  relay.connect(server.ready.quicPort);
  const browser = await launchChrome(await ensureChrome());
  try {
    const page = await browser.newPage();
    await page.goto(server.ready.url);
    const { certificateHashes } = server.ready;
    await startHls(page, { endpoint: { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes } }, name);
    await playHlsUntil(page);
    return await outcomeOfHls(page);
  } finally {
    await browser.close();
    relay.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

function reportOf(outcome: HlsOutcome) {
  const { segments, decisions, errors } = outcome.statistics!;
  const sum = (of: (segment: (typeof segments)[number]) => number): number =>
    segments.reduce((total, segment) => total + of(segment), 0);
  return {
    seconds: outcome.currentTime,
    errors: errorsOfHls(outcome),
    stalls: outcome.errors.filter(isStall).length,
    fallbacks: fallbacksOnceReady(outcome).length,
    pluginErrors: errors,
    decisions,
    segments: segments.length,
    byHttp: segments.filter(({ delivery }) => delivery === 'http').length,
    early: segments.filter(({ early }) => early).length,
    bytesLost: sum(({ bytesLost }) => bytesLost),
    bytesRecovered: sum(({ bytesRecovered }) => bytesRecovered),
    framesRepaired: sum(({ framesRepaired }) => framesRepaired),
    score: sum(({ score }) => score ?? NaN) / segments.length,
  };
}

type Report = ReturnType<typeof reportOf>;

function linesOf({ errors, pluginErrors, ...figures }: Report): string {
  return [...Object.entries(figures).map(([name, value]) => `${name} ${value}`), ...errors, ...pluginErrors].join('\n');
}
