import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { venvProgram } from '../../../tools/setup/paths.mjs';
import { run } from '../support/clip.js';
import { startCopied, type CopiedStream } from '../support/copied-stream.js';
import { liveFolder, untilThere } from '../support/live-stream.js';
import {
  fallbacksOnceReady,
  openPage,
  outcomeOf,
  playToEnd,
  servePlayerPage,
  startPlayer,
  type Outcome,
} from '../support/player-page.js';
import { playerStage } from '../support/player-stage.js';

/** Seconds, and segments, that are there before anything is made of the stream. */
const LENGTH = 10;
/** The same of the clip. */
const CLIP = 6;
/** Segments that may be asked for before the session is open, and come over HTTP. */
const EARLY = 2;

let copied: CopiedStream;
let page: Page;

const stage = playerStage(async (folder) => {
  copied = await startCopied(folder);
  await untilThere(join(liveFolder(folder), 'v0', `${LENGTH + 1}.m4s`));
  return servePlayerPage(folder, folder);
});

beforeEach(async () => {
  page = await openPage(stage.browser, stage.server.ready.url);
  return () => page.close();
});

afterAll(() => copied.stop());

/** Plays it to its end with the plugin, which knows its segments. */
async function played(name: string): Promise<Outcome> {
  await startPlayer(page, {}, `/media/${name}/manifest.mpd`);
  await playToEnd(page);
  const outcome = await outcomeOf(page);
  expect(outcome).toMatchObject({ errors: [], ended: true });
  expect(fallbacksOnceReady(outcome)).toEqual([]);
  const segments = outcome.statistics!.segments.slice(EARLY);
  expect(segments.length).toBeGreaterThan(0);
  for (const { score } of segments) expect(score).toBeGreaterThan(0);
  expect(segments.some(({ delivery }) => delivery !== 'http')).toBe(true);
  return outcome;
}

it('plays a clip that was made while the stream went on', async () => {
  const words = ['--clip', liveFolder(stage.folder), '--from', String(CLIP), '--out', join(stage.folder, 'clip')];
  run(venvProgram('voxel-live'), words);
  const { duration } = await played('clip');
  expect(duration).toBeCloseTo(CLIP, 0);
});

it('plays a stream that has ended with the scores that were measured afterwards', async () => {
  await copied.end();
  const manifest = join(liveFolder(stage.folder), 'manifest.mpd');
  run(venvProgram('voxel-prepare'), ['--copy', manifest, '--out', join(stage.folder, 'recording')]);
  const { duration } = await played('recording');
  expect(duration).toBeGreaterThan(LENGTH - 1);
});
