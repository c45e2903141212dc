import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { TestedOptions } from './support/player-page.js';
import { prepareClip } from './support/clip.js';
import { openPage, outcomeOf, playToEnd, servePlayerPage, startPlayer } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const clip = { seconds: 6, segmentSeconds: 2, representations: '144p' };

/** The plain build, which loads parts of its worker; `policy` is that of the page for scripts. */
const pageWith = (policy: string): string => `<!doctype html>
  <meta http-equiv="Content-Security-Policy" content="script-src ${policy}; worker-src blob:">
  <script nonce="1" src="/dashjs/dash.all.min.js"></script>
  <script nonce="1" src="/dist/umd/voxel-dash.js"></script>`;

const stage = playerStage(async (folder) => {
  const pages = join(folder, 'pages');
  mkdirSync(pages);
  writeFileSync(join(pages, 'own.html'), pageWith("'self'"));
  writeFileSync(join(pages, 'nonce.html'), pageWith("'nonce-1'"));
  const other = await prepareClip(join(folder, 'av1'), { ...clip, codec: 'av1' });
  const h264 = await prepareClip(folder, clip);
  return servePlayerPage(folder, h264, '--mount', `/pages=${pages}`, '--mount', `/av1=${other}`);
});

/** Plays a clip to its end, and says what scripts the worker has loaded. */
async function play(file: string, manifest: string) {
  const page = await openPage(stage.browser, new URL(`/pages/${file}.html`, stage.server.ready.url).href);
  const options: TestedOptions = { abr: 'half', bufferSegments: 1, delivery: 'datagrams', refetch: false };
  await startPlayer(page, options, manifest);
  await page.waitForFunction(() => window.players[0]!.sessions.length > 0, { timeout: 60_000, polling: 50 });
  const [worker] = page.workers();
  await playToEnd(page);
  const { errors, ended, fallbacks, statistics } = await outcomeOf(page);
  expect({ errors, ended }).toEqual({ errors: [], ended: true });
  const loaded = await worker!.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  await page.close();
  return { fallbacks, segments: statistics!.segments, loaded: loaded.filter((name) => name.endsWith('.js')) };
}

it('loads no part of the worker for H.264', async () => {
  const { loaded, segments } = await play('own', '/media/manifest.mpd');
  expect(segments.map(({ delivery }) => delivery)).toContain('datagrams');
  expect(loaded).toEqual([]);
});

it('loads what takes frames out for AV1', async () => {
  const { loaded, segments } = await play('own', '/av1/manifest.mpd');
  expect(segments.some(({ removed }) => removed.length > 0)).toBe(true);
  expect(loaded.map((name) => new URL(name).pathname)).toEqual(['/dist/umd/voxel-removal.js']);
});

it('plays AV1 over HTTP, and says why, where that does not load', async () => {
  const { fallbacks, segments } = await play('nonce', '/av1/manifest.mpd');
  expect(new Set(segments.map(({ delivery }) => delivery))).toEqual(new Set(['http']));
  expect(fallbacks.map(({ code }) => code)).toContain('unsupported');
  expect(fallbacks.at(-1)?.message).toContain('a part of the worker cannot be loaded from');
});
