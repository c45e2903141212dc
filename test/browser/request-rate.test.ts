import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareClip } from './support/clip.js';
import { startHttpRelay } from './support/http-relay.js';
import { openPage, servePlayerPage, startPlayer, type PlayerServer } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';
import { serverCounters } from './support/server-counters.js';

const MOST_A_SECOND = 5;
/** In which requests are counted: a busy machine may hand several on at once. */
const WINDOW_SECONDS = 4;
const WATCHED_SECONDS = 12;

const clip = { seconds: 10, segmentSeconds: 2 };

const stage = playerStage(async (folder) => servePlayerPage(folder, await prepareClip(folder, clip)));

/** Most requests that came within `WINDOW_SECONDS`. */
function densest(times: readonly number[]): number {
  return Math.max(
    0,
    ...times.map((from) => times.filter((time) => time >= from && time < from + WINDOW_SECONDS).length),
  );
}

/** Plays behind a relay that has such requests fail, and counts them: how many there were. */
async function watch(server: PlayerServer, fails: (path: string) => boolean): Promise<number> {
  const relay = await startHttpRelay(server.ready.url);
  const page = await openPage(stage.browser, relay.url);
  try {
    relay.fails = fails;
    await startPlayer(page);
    await new Promise((resolve) => setTimeout(resolve, WATCHED_SECONDS * 1000));
    const times = relay.asked.filter(({ path }) => fails(path)).map(({ time }) => time);
    expect(times.length).toBeGreaterThan(0);
    expect(densest(times)).toBeLessThanOrEqual(MOST_A_SECOND * WINDOW_SECONDS);
    return times.length;
  } finally {
    await page.close();
    relay.close();
  }
}

async function requestsOverSession({ ready }: PlayerServer): Promise<number> {
  const lines = (await serverCounters(ready, 'voxel_requests_total')).split('\n');
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

// They only wait: what fails of one is there for the others.
it.concurrent.each([
  ['the manifest', (path: string) => path.endsWith('.mpd')],
  ['the discovery file', (path: string) => path.endsWith('voxel.json')],
  ['the index', (path: string) => path.endsWith('.index')],
])('five requests a second at most, where what fails is %s', async (_, fails) => {
  await watch(stage.server, fails);
});

it.concurrent('five requests a second at most, where what fails is the segments', async () => {
  // Over the session they must fail, too: from a server of their own.
  const media = await prepareClip(join(stage.folder, 'without'), clip);
  const fails = (path: string): boolean => path.endsWith('.mp4');
  for (const name of readdirSync(media)) if (fails(name)) rmSync(join(media, name));
  const server = await servePlayerPage(stage.folder, media);
  try {
    const overHttp = await watch(server, fails);
    expect(await requestsOverSession(server)).toBeLessThanOrEqual(MOST_A_SECOND * WATCHED_SECONDS - overHttp);
  } finally {
    await server.stop();
  }
});
