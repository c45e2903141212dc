import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Hls from 'hls.js';
import type { HlsConfig } from 'hls.js';
import type { Page } from 'puppeteer-core';
import type {
  ChunkEvent,
  FallbackEvent,
  LiveHandle,
  SessionEvent,
  VoxelHlsOptions,
  VoxelStatistics,
} from '../../../player/hls/index.js';
import type { Abr } from '../../../player/index.js';
import { root } from '../../../tools/setup/paths.mjs';
import { startServer } from '../../../tools/start/server.mjs';

/** The newest of each minor version, as package.json names them. */
export const HLS_PACKAGES = ['hls.js-1.5', 'hls.js-1.6', 'hls.js'];

/** An hls.js player that `startHls` has put on the page. */
export interface HlsUnderTest {
  readonly hls: Hls;
  readonly video: HTMLVideoElement;
  readonly handle: LiveHandle | undefined;
  /** Those of hls.js, fatal ones or not, and those of the element. */
  readonly errors: string[];
  readonly fallbacks: FallbackEvent[];
  readonly sessions: SessionEvent[];
  /** Of a live stream. */
  readonly chunks: ChunkEvent[];
}

declare global {
  interface Window {
    hlsPlayer: HlsUnderTest;
    /** Settings with functions. */
    hlsConfig?: Partial<HlsConfig>;
  }
}

export interface HlsOutcome extends Pick<HlsUnderTest, 'errors' | 'fallbacks' | 'sessions'> {
  readonly statistics: VoxelStatistics | undefined;
  readonly ended: boolean;
  readonly currentTime: number;
  readonly buffered: [start: number, end: number][];
  readonly frames: number;
  readonly decodedAudioBytes: number;
}

/** Serves the bundle, every hls.js, an empty page, and the media with voxel-serve. `dist`: where the bundles are. */
export async function serveHlsPage(folder: string, media: string, dist = join(root, 'dist')) {
  const page = mkdtempSync(join(folder, 'page-'));
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>player</title>');
  const mounts = {
    '/dist': dist,
    '/media': media,
    ...Object.fromEntries(HLS_PACKAGES.map((name) => [`/${name}`, join(root, 'node_modules', name, 'dist')])),
  };
  const mountOptions = Object.entries(mounts).flatMap(([path, target]) => ['--mount', `${path}=${target}`]);
  const server = await startServer([page, ...mountOptions, '--http-port', '0', '--quic-port', '0']);
  return {
    ...server,
    stop: async () => {
      await server.stop();
      rmSync(page, { recursive: true });
    },
  };
}

/** `half`: a rule of the page's own, which leaves out the less important half of every segment's levels. */
export type TestedHlsOptions = Omit<VoxelHlsOptions, 'abr'> & { readonly abr?: VoxelHlsOptions['abr'] | 'half' };

/** Starts a muted player on the page, with the plugin unless `options` is `'plain'`. `config`: of hls.js. */
export async function startHls(
  page: Page,
  options: TestedHlsOptions | 'plain' = {},
  name = 'hls.js',
  config: Partial<HlsConfig> = {},
  playlist = '/media/master.m3u8',
): Promise<void> {
  await page.addScriptTag({ url: `/${name}/hls.min.js` });
  if (options !== 'plain') await page.addScriptTag({ url: '/dist/umd/voxel-hls.js' });
  await page.evaluate(
    (settings, config, playlist) => {
      const { Hls: Player, voxelDash } = window as unknown as {
        Hls: typeof Hls;
        voxelDash: typeof import('../../../player/hls/index.js');
      };
      const video = document.body.appendChild(document.createElement('video'));
      video.muted = true;
      const hls = new Player({ ...config, ...window.hlsConfig });
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
      const attached: VoxelHlsOptions = { ...others, ...(abr && { abr: abr === 'half' ? half : abr }) };
      const handle = settings === 'plain' ? undefined : voxelDash.attachVoxelHls(hls, attached);
      const started: HlsUnderTest = { hls, video, handle, errors: [], fallbacks: [], sessions: [], chunks: [] };
      handle?.on('fallback', (event) => started.fallbacks.push(event));
      handle?.on('session', (event) => started.sessions.push(event));
      handle?.on('chunk', (event) => started.chunks.push(event));
      handle?.on('session', ({ state }) => state === 'opened' && performance.mark('session opened'));
      hls.on(Player.Events.ERROR, (_, { details, fatal, reason, error }) =>
        started.errors.push(`${details}${fatal ? ' (fatal)' : ''}: ${reason ?? error.message}`),
      );
      video.addEventListener('error', () => started.errors.push(video.error!.message));
      hls.loadSource(playlist);
      hls.attachMedia(video);
      window.hlsPlayer = started;
      void video.play();
    },
    options,
    config,
    playlist,
  );
}

/** Waits until playback has passed `seconds`, or ended, or failed for good. */
export async function playHlsUntil(page: Page, seconds = Infinity): Promise<void> {
  await page.waitForFunction(
    (limit) => {
      const { video, errors } = window.hlsPlayer;
      return (
        video.ended || errors.some((error) => error.includes('(fatal)')) || video.currentTime >= (limit ?? Infinity)
      );
    },
    { timeout: 150_000, polling: 50 },
    Number.isFinite(seconds) ? seconds : null,
  );
}

/** How fast `playHlsToEnd` plays. */
const HURRY = 4;

/** Waits until playback has ended, or failed: as `playToEnd` of dash.js' page. */
export async function playHlsToEnd(page: Page, seconds = 1): Promise<void> {
  await playHlsUntil(page, seconds);
  await page.evaluate((rate) => void (window.hlsPlayer.video.playbackRate = rate), HURRY);
  await playHlsUntil(page);
}

/** hls.js reports that it waits for data, as it does on a busy machine. */
export const isStall = (error: string): boolean => error.startsWith('bufferStalledError: ');

/** And, from 1.7 on, that it has aborted a request, as it does for a seek, with and without the plugin. */
const isAbort = (error: string): boolean => error.startsWith('aborted: ');

/** Without what goes on by itself. */
export function errorsOfHls({ errors }: Pick<HlsOutcome, 'errors'>): string[] {
  return errors.filter((error) => !isStall(error) && !isAbort(error));
}

export function outcomeOfHls(page: Page): Promise<HlsOutcome> {
  return page.evaluate(() => {
    const { video, handle, errors, fallbacks, sessions } = window.hlsPlayer;
    const { buffered, currentTime, ended } = video;
    return {
      ...{ errors, fallbacks, sessions, ended, currentTime },
      statistics: handle?.statistics(),
      buffered: Array.from({ length: buffered.length }, (_, index) => [buffered.start(index), buffered.end(index)]),
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
      decodedAudioBytes: (video as unknown as { webkitAudioDecodedByteCount: number }).webkitAudioDecodedByteCount,
    };
  }) as Promise<HlsOutcome>;
}
