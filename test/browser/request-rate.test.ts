import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareClip } from './support/clip.js';
import { startHttpRelay } from './support/http-relay.js';
import { openPage, servePlayerPage, startPlayer } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';
import { serverCounters } from './support/server-counters.js';

const MOST_A_SECOND = 5;
/** In which requests are counted: a busy machine may hand several on at once. */
const WINDOW_SECONDS = 4;
const WATCHED_SECONDS = 12;

const stage = playerStage(async (folder) =>
  servePlayerPage(folder, await prepareClip(folder, { seconds: 10, segmentSeconds: 2 })),
);

/** Most requests that came within `WINDOW_SECONDS`. */
function densest(times: readonly number[]): number {
  return Math.max(
    0,
    ...times.map((from) => times.filter((time) => time >= from && time < from + WINDOW_SECONDS).length),
  );
}

/** Plays behind a relay that has such requests fail, and counts them. */
async function watch(fails: (path: string) => boolean): Promise<void> {
  const relay = await startHttpRelay(stage.server.ready.url);
  const page = await openPage(stage.browser, relay.url);
  // Over the session they must fail, too.
  const media = join(stage.folder, 'media');
  const gone = readdirSync(media).filter((name) => fails(name) && name.endsWith('.mp4'));
  const requestsOverSession = async (): Promise<number> => {
    const lines = (await serverCounters(stage.server.ready, 'voxel_requests_total')).split('\n');
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  for (const name of gone) renameSync(join(media, name), join(media, `.${name}`));
  try {
    relay.fails = fails;
    const before = await requestsOverSession();
    await startPlayer(page);
    await new Promise((resolve) => setTimeout(resolve, WATCHED_SECONDS * 1000));
    const times = relay.asked.filter(({ path }) => fails(path)).map(({ time }) => time);
    expect(times.length).toBeGreaterThan(0);
    expect(densest(times)).toBeLessThanOrEqual(MOST_A_SECOND * WINDOW_SECONDS);
    if (gone.length > 0) {
      expect((await requestsOverSession()) - before).toBeLessThanOrEqual(
        MOST_A_SECOND * WATCHED_SECONDS - times.length,
      );
    }
  } finally {
    for (const name of gone) renameSync(join(media, `.${name}`), join(media, name));
    await page.close();
    relay.close();
  }
}

// They only wait: what fails of one is there for the others.
it.concurrent.each([
  ['the manifest', (path: string) => path.endsWith('.mpd')],
  ['the discovery file', (path: string) => path.endsWith('voxel.json')],
  ['the index', (path: string) => path.endsWith('.index')],
])('five requests a second at most, where what fails is %s', (_, fails) => watch(fails));

// Files are away in the meantime.
it('five requests a second at most, where what fails is the segments', () => watch((path) => path.endsWith('.mp4')));
