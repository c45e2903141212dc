import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import type { MediaPlayerClass } from 'dashjs';
import type { Abr } from '../../../src/abr-star/index.js';
import type {
  FallbackEvent,
  FullVoxelHandle,
  FullVoxelOptions,
  PathEvent,
  SessionEvent,
  VoxelStatistics,
} from '../../../lab/index.js';
import { root } from '../../../tools/setup/paths.mjs';
import { startServer } from '../../../tools/start/server.mjs';

export const PAGE = `<!doctype html><title>player</title>
<script src="/dashjs/dash.all.min.js"></script><script src="/dist/umd/voxel-dash-lab.js"></script>`;

/** A player that `startPlayer` has put on the page; the page calls it by its number. */
export interface PlayerUnderTest {
  readonly player: MediaPlayerClass;
  readonly video: HTMLVideoElement;
  readonly handle: FullVoxelHandle | undefined;
  readonly errors: string[];
  readonly fallbacks: FallbackEvent[];
  readonly sessions: SessionEvent[];
  readonly paths: PathEvent[];
  /** dash.js may pause just before the end and call that the end; the element's own `ended` then stays false. */
  ended: boolean;
}

declare global {
  interface Window {
    players: PlayerUnderTest[];
    /** What a page does with its player before that begins. */
    preparePlayer?: (player: MediaPlayerClass) => void;
  }
}

/** What became of a playback. */
export interface Outcome {
  readonly errors: string[];
  readonly fallbacks: FallbackEvent[];
  readonly sessions: SessionEvent[];
  readonly paths: PathEvent[];
  readonly statistics: VoxelStatistics | undefined;
  readonly ended: boolean;
  readonly currentTime: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly playbackRate: number;
  readonly readyState: number;
  readonly seeking: boolean;
  readonly buffered: [start: number, end: number][];
  /** Seconds of media: more than one range where playback has jumped. */
  readonly played: [start: number, end: number][];
  readonly frames: number;
  readonly decodedAudioBytes: number;
}

export type PlayerServer = Awaited<ReturnType<typeof servePlayerPage>>;

/** Serves the bundle, dash.js, a page that loads both, and the media with voxel-serve. */
export function servePlayerPage(folder: string, media: string, ...options: string[]) {
  return servePlayerPageWith(undefined, folder, media, ...options);
}

/** The same with another server; `program` is its path. */
export async function servePlayerPageWith(
  program: string | undefined,
  folder: string,
  media: string,
  ...options: string[]
) {
  const page = mkdtempSync(join(folder, 'page-'));
  writeFileSync(join(page, 'index.html'), PAGE);
  const mounts = {
    '/dist': join(root, 'dist'),
    '/dashjs': join(root, 'node_modules/dashjs/dist/modern/umd'),
    '/media': media,
  };
  const mountOptions = Object.entries(mounts).flatMap(([path, target]) => ['--mount', `${path}=${target}`]);
  const words = [page, ...mountOptions, '--http-port', '0', '--quic-port', '0', ...options];
  const server = await startServer(words, program);
  return {
    ...server,
    stop: async () => {
      await server.stop();
      rmSync(page, { recursive: true });
    },
  };
}

/** Opens it in a window of its own: the timers of a tab behind another one are slow, and its video may stand. */
export async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ type: 'window' });
  await page.goto(url);
  return page;
}

/** `half`: a rule of the page's own, which leaves out the less important half of every segment's levels. */
export type TestedOptions = Omit<FullVoxelOptions, 'abr'> & { readonly abr?: FullVoxelOptions['abr'] | 'half' };

/**
 * Starts a muted player on the page, with the plugin unless `options` is `'plain'`; returns its number. `dashSettings`: for dash.js;
 * `clearKeys`: of encrypted media, keys by their identifiers, in base64url.
 */
export function startPlayer(
  page: Page,
  options: TestedOptions | 'plain' = {},
  manifest = '/media/manifest.mpd',
  dashSettings: object = {},
  clearKeys?: Readonly<Record<string, string>>,
): Promise<number> {
  return page.evaluate(
    (settings, url, dashSettings, clearkeys) => {
      const { dashjs, voxelDash } = window as unknown as {
        dashjs: typeof import('dashjs');
        voxelDash: typeof import('../../../lab/index.js');
      };
      const video = document.body.appendChild(document.createElement('video'));
      video.muted = true;
      // Muted twice: Chromium decodes the audio of a muted element all the same.
      video.volume = 0;
      const player = dashjs.MediaPlayer().create();
      // Methods, not functions with names: tsx, under which benches run, marks those with what the page does not know.
      const half: Abr = {
        name: 'half',
        choose({ options }) {
          const lowest = options.filter(({ representation }) => representation === options[0]!.representation);
          return { option: lowest[lowest.length >> 1]!, delay: 0 };
        },
        reset() {},
      };
      const { abr, ...others } = settings === 'plain' ? {} : settings;
      const attached: FullVoxelOptions = { ...others, ...(abr && { abr: abr === 'half' ? half : abr }) };
      const handle = settings === 'plain' ? undefined : voxelDash.attachVoxel(player, attached);
      const started: PlayerUnderTest = {
        ...{ player, video, handle, errors: [], fallbacks: [], sessions: [], paths: [], ended: false },
      };
      handle?.on('fallback', (event) => started.fallbacks.push(event));
      handle?.on('session', (event) => started.sessions.push(event));
      handle?.on('session', ({ state }) => state === 'opened' && performance.mark('session opened'));
      handle?.on('path', (event) => started.paths.push(event));
      player.on('error', ((event: { error: unknown }) => started.errors.push(JSON.stringify(event.error))) as never);
      player.on('playbackEnded', () => (started.ended = true));
      video.addEventListener('error', () => started.errors.push(video.error!.message));
      player.updateSettings(dashSettings);
      if (clearkeys) player.setProtectionData({ 'org.w3.clearkey': { clearkeys } });
      window.preparePlayer?.(player);
      player.initialize(video, url, true);
      window.players = [...((window.players as PlayerUnderTest[] | undefined) ?? []), started];
      return window.players.length - 1;
    },
    options,
    manifest,
    dashSettings,
    clearKeys,
  );
}

/** Waits until playback has passed `seconds`, or ended, or failed; an error that says where it stands if it does not get there. */
export async function playUntil(page: Page, seconds = Infinity, player = 0): Promise<void> {
  try {
    await page.waitForFunction(
      (number, limit) => {
        const { video, errors, ended } = window.players[number]!;
        return ended || errors.length > 0 || video.currentTime >= (limit ?? Infinity);
      },
      { timeout: 150_000, polling: 50 },
      player,
      Number.isFinite(seconds) ? seconds : null,
    );
  } catch (cause) {
    const { statistics, ...outcome } = await outcomeOf(page, player);
    const standing = { ...outcome, segments: statistics?.segments.slice(-5) };
    throw new Error(`playback stands: ${JSON.stringify(standing)}`, { cause });
  }
}

/** How fast `playToEnd` plays. */
const HURRY = 4;

/**
 * Waits until playback has ended, or failed: for tests of what is played, not of when. After `seconds`, in which sessions open and first
 * segments come as they always do, it goes on at a higher rate.
 */
export async function playToEnd(page: Page, { seconds = 1, player = 0, rate = HURRY } = {}): Promise<void> {
  await playUntil(page, seconds, player);
  await page.evaluate((number, rate) => window.players[number]!.player.setPlaybackRate(rate), player, rate);
  await playUntil(page, Infinity, player);
}

/**
 * Pauses playback once a segment that is not yet played has come with gaps, until one has been fetched into: on a busy machine segments
 * come too late for that while it plays.
 */
export async function pauseUntilRefetched(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const { player, video, handle } = window.players[0]!;
      const isInTime = handle!
        .statistics()
        .segments.some(({ startTime, framesSkipped }) => framesSkipped > 0 && startTime > video.currentTime + 1);
      if (isInTime) player.pause();
      return isInTime;
    },
    { timeout: 60_000, polling: 50 },
  );
  await page.waitForFunction(
    () => window.players[0]!.handle!.statistics().segments.some(({ bytesRefetched }) => bytesRefetched > 0),
    { timeout: 60_000, polling: 50 },
  );
  await page.evaluate(() => window.players[0]!.player.play());
}

/**
 * How many segments of files with that in their names the page has asked for over HTTP since its session opened. `others`: how many
 * requests for such files come before those for segments, as for an initialization segment.
 */
export function segmentsOverHttp(page: Page, name: string, others: number): Promise<number> {
  return page.evaluate(
    (part, others) => {
      const [opened] = performance.getEntriesByName('session opened');
      const requests = performance.getEntriesByType('resource').filter((entry) => entry.name.includes(part));
      return requests.slice(others).filter(({ startTime }) => startTime > opened!.startTime).length;
    },
    name,
    others,
  );
}

/** In the order of delivery; with those that dash.js or hls.js loaded itself, unrecorded, as their index was late. */
export function playedIndices({ statistics, fallbacks }: Pick<Outcome, 'statistics' | 'fallbacks'>): number[] {
  const indices = statistics!.segments.map(({ index }) => index);
  for (const { code, index } of fallbacks) {
    if (code !== 'index-late' || indices.includes(index!)) continue;
    const next = indices.findIndex((other) => other > index!);
    indices.splice(next === -1 ? indices.length : next, 0, index!);
  }
  return indices;
}

/** Without those of first segments, which wait neither for the session nor for the index: a busy machine is late with both. */
export function fallbacksOnceReady({ fallbacks }: Pick<Outcome, 'fallbacks'>): FallbackEvent[] {
  return fallbacks.filter(({ code }) => code !== 'session-opening' && code !== 'index-late');
}

export function outcomeOf(page: Page, player = 0): Promise<Outcome> {
  return page.evaluate((number) => {
    const { video, handle, errors, fallbacks, sessions, paths, ended } = window.players[number]!;
    const { currentTime, duration, paused, playbackRate, readyState, seeking } = video;
    const rangesOf = (ranges: TimeRanges) =>
      Array.from({ length: ranges.length }, (_, index) => [ranges.start(index), ranges.end(index)]);
    return {
      ...{ errors, fallbacks, sessions, paths, ended, currentTime, duration },
      ...{ paused, playbackRate, readyState, seeking },
      statistics: handle?.statistics(),
      ...{ buffered: rangesOf(video.buffered), played: rangesOf(video.played) },
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
      decodedAudioBytes: (video as unknown as { webkitAudioDecodedByteCount: number }).webkitAudioDecodedByteCount,
    };
  }, player) as Promise<Outcome>;
}
