import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import type { ChunkEvent } from '../../../lab/index.js';
import { venvProgram } from '../../../tools/setup/paths.mjs';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';
import { watchAppends } from './appends.js';
import { run } from './clip.js';
import { outcomeOf, playUntil, startPlayer } from './player-page.js';

declare global {
  interface Window {
    /** Those of the player that was started last. */
    chunks: ChunkEvent[];
    /** By `recordVideo`. */
    appended: Uint8Array[];
  }
}

/** A second behind the capture. */
export const LIVE_SETTINGS = { streaming: { delay: { liveDelay: 1 }, liveCatchup: { enabled: true } } };

/**
 * The same where programs take their time: dash.js gives up after a second and a half, and a busy machine takes longer to start a
 * server, or to see in a manifest that a stream has ended.
 */
export const PATIENT = {
  streaming: { ...LIVE_SETTINGS.streaming, retryAttempts: { MPD: 100, InitializationSegment: 100, MediaSegment: 100 } },
};

export interface LiveStream {
  /** Waits until that segment is about to begin. */
  until(segment: number): Promise<void>;
  /** Ends it and waits for that. */
  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<unknown>;
}

/** Where `startLive` puts the stream. */
export function liveFolder(folder: string): string {
  return join(folder, 'live');
}

/** Has `voxel-live` encode ten seconds of test pictures with sound, over and over; returns once there is a manifest. */
export async function startLive(folder: string, ...options: string[]): Promise<LiveStream> {
  const source = join(folder, 'source.mp4');
  if (!existsSync(source)) {
    const inputs = ['testsrc2=size=256x144:rate=25', 'sine=frequency=440'];
    const from = inputs.flatMap((input) => ['-f', 'lavfi', '-i', input]);
    run(ffmpegBinary(), [...from, '-t', '10', '-preset', 'ultrafast', '-c:a', 'aac', source]);
  }
  const out = liveFolder(folder);
  const words = [source, '--out', out, '--representations', '144p:0.2,144p:0.4', ...options];
  const encoder = spawn(venvProgram('voxel-live'), words, { stdio: 'ignore' });
  const exited = once(encoder, 'exit');
  await untilThere(join(out, 'manifest.mpd'));
  return {
    until: (segment) => untilThere(join(out, 'v0', `${segment}.m4s`)),
    stop: (signal) => {
      encoder.kill(signal);
      return exited;
    },
  };
}

/** When media time 0 of the stream in a folder was captured, in milliseconds since 1970. */
export function captureStart(out: string): number {
  const manifest = readFileSync(join(out, 'manifest.mpd'), 'utf8');
  return Date.parse(/availabilityStartTime="([^"]+)"/.exec(manifest)![1]!);
}

/** Waits until a file is there. */
export async function untilThere(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Starts a player of the live stream and keeps its chunks; returns its number when its first picture is there. */
export async function startLivePlayer(
  page: Page,
  options: Parameters<typeof startPlayer>[1] = {},
  settings: object = LIVE_SETTINGS,
): Promise<number> {
  const player = await startPlayer(page, options, '/media/manifest.mpd', settings);
  await page.evaluate((player) => {
    const chunks: ChunkEvent[] = (window.chunks = []);
    window.players[player]!.handle?.on('chunk', (chunk) => chunks.push(chunk));
  }, player);
  await page.waitForFunction(
    (player) => window.players[player]!.video.readyState > 2,
    { timeout: 30_000, polling: 50 },
    player,
  );
  return player;
}

/** Plays that many seconds from where playback is. */
export async function playOn(page: Page, seconds: number, player = 0): Promise<void> {
  const { currentTime } = await outcomeOf(page, player);
  await playUntil(page, currentTime + seconds, player);
}

/** Keeps what is appended to the video's buffers of players that start from now on. */
export async function recordVideo(page: Page): Promise<void> {
  await page.evaluate(watchAppends);
  await page.evaluate(() => {
    window.appended = [];
    window.onAppend = (bytes) => window.appended.push(bytes.slice());
  });
}

/** What was appended since `recordVideo`, an initialization segment with the media after it at a time. */
export async function recordedVideo(page: Page): Promise<{ readonly init: Buffer; readonly media: Buffer }[]> {
  const pieces = await page.evaluate(() =>
    window.appended.map((bytes) => {
      let text = '';
      for (const byte of bytes) text += String.fromCharCode(byte);
      return btoa(text);
    }),
  );
  const runs: { readonly init: Buffer; media: Buffer }[] = [];
  for (const bytes of pieces.map((piece) => Buffer.from(piece, 'base64'))) {
    const last = runs.at(-1);
    if (bytes.toString('latin1', 4, 8) === 'ftyp') runs.push({ init: bytes, media: Buffer.of() });
    else last!.media = Buffer.concat([last!.media, bytes]);
  }
  return runs.filter(({ media }) => media.length > 0);
}
