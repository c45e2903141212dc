import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { cacheFolder, venvProgram } from '../../../tools/setup/paths.mjs';
import { run, say, UserError } from '../../../tools/setup/process.mjs';
import { requireVideo } from '../../../tools/start/prepare.mjs';
import { ensureSample, ffmpegBinary } from '../../../tools/start/sample.mjs';
import { makeContent, type Content } from '../../sim/content/content.js';
import { videoName, type VideoSpec } from '../config.js';
import type { Media } from '../media.js';
import type { LiveSpec } from './live-spec.js';

/** A recording goes on beyond a session: what comes before the player's start, and what a player asks for ahead. */
const AROUND_SECONDS = 12;

/** For rates of up to 240 lines on two cores that play. */
const DEFAULT_LEVELS = '240p:0.25,240p:0.5,240p:0.9,240p:1.5';

/** FFmpeg's arguments for the clip that is encoded: hardly a loss, and quickly read. */
const CUT = ['-an', '-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '8', '-g', '30', '-pix_fmt', 'yuv420p'];

/** Changes where recordings are to be made anew. */
const EDITION = 2;

/** What `live_media.py describe` says. */
interface Description {
  readonly digest: string;
  readonly segmentSeconds: number;
  readonly frameSeconds: number;
  readonly levels: readonly {
    readonly bitrate: number;
    readonly averageScore: number;
    readonly segments: readonly { readonly bytes: number; readonly reliableBytes: number; readonly score: number }[];
  }[];
}

/**
 * The recorded encode of a video, for sessions of `live`: what `voxel-live` makes of it in real time, without sound. What is there is used
 * again. Throws a `UserError`.
 */
export async function recordLive(spec: VideoSpec, live: LiveSpec): Promise<Media> {
  requireVideo(spec.file);
  const input = spec.file === undefined ? await ensureSample() : resolve(spec.file);
  const { start, duration, levels = DEFAULT_LEVELS, segment = 1 } = spec;
  const settings = [levels, '--segment', String(segment), '--latency', String(live.latency)];
  const facts = [EDITION, input, start, duration, live.seconds, ...settings];
  const key = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 8);
  const name = videoName(spec);
  const folder = join(cacheFolder, 'media', `${name}-live-${key}`);
  if (!existsSync(join(folder, DESCRIPTION))) {
    const partial = `${folder}.${process.pid}`;
    rmSync(partial, { recursive: true, force: true });
    try {
      const clip = await cut(input, partial, { start, duration });
      await record(clip, partial, { settings, seconds: live.seconds + AROUND_SECONDS });
      writeFileSync(join(partial, DESCRIPTION), await describe(partial));
      rmSync(folder, { recursive: true, force: true });
      renameSync(partial, folder);
    } finally {
      rmSync(partial, { recursive: true, force: true });
      rmSync(clipOf(partial), { force: true });
    }
  }
  const description = JSON.parse(readFileSync(join(folder, DESCRIPTION), 'utf8')) as Description;
  const { digest, frameSeconds } = description;
  return { name, folder, digest, frameSeconds, metric: 'ssim', content: contentOf(name, description) };
}

const DESCRIPTION = 'recording.json';
const SCORER = join(import.meta.dirname, 'live_media.py');

/** The clip that is recorded into a folder: beside it, as an encoder's folder holds nothing else. */
const clipOf = (folder: string): string => `${folder}.mp4`;

/** Only what is played, so that reading it takes next to nothing of the encoder's processor. */
async function cut(
  input: string,
  folder: string,
  { start, duration }: Pick<VideoSpec, 'start' | 'duration'>,
): Promise<string> {
  mkdirSync(dirname(folder), { recursive: true });
  const clip = clipOf(folder);
  const from = start === undefined ? [] : ['-ss', String(start)];
  const length = duration === undefined ? [] : ['-t', String(duration)];
  await run(ffmpegBinary(), ['-v', 'error', '-nostdin', ...from, '-i', input, ...length, ...CUT, clip], {
    output: 'on-failure',
  });
  return clip;
}

async function record(
  clip: string,
  folder: string,
  { settings: [levels, ...settings], seconds }: { readonly settings: readonly string[]; readonly seconds: number },
): Promise<void> {
  say(`recording ${Math.ceil(seconds)} s of live video …`);
  const child = spawn(
    venvProgram('voxel-live'),
    [clip, '--out', folder, '--representations', levels!, ...settings, '--window', '86400', '--keep'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let words = '';
  child.stderr.on('data', (data: Buffer) => (words += data.toString()));
  const ended = new Promise<number | null>((done) => child.on('close', done));
  for (let waited = 0; waited < 1000 * seconds && child.exitCode === null;) {
    await sleep(POLLING_MS);
    if (existsSync(join(folder, 'live.json'))) waited += POLLING_MS;
  }
  child.kill('SIGINT');
  if ((await ended) !== 0) throw new UserError(`voxel-live failed: ${words.trim().split('\n').at(-1) ?? ''}`, 1);
}

const POLLING_MS = 100;

async function describe(folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)(venvProgram('python'), [SCORER, 'describe', folder], {
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

function contentOf(name: string, { segmentSeconds, levels }: Description): Content {
  const ladder = levels.map(({ bitrate, averageScore }) => ({ bitrate, averageScore }));
  const segments = levels[0]!.segments.map((_, index) =>
    levels.map(({ segments: own }) => {
      const { bytes, reliableBytes, score } = own[index]!;
      const unreliable = [{ start: reliableBytes, end: bytes }];
      const steps = [{ score, frames: unreliable.length, bytes: bytes - reliableBytes }];
      const range = { start: 0, end: bytes };
      return { range, reliable: [{ start: 0, end: reliableBytes }], unreliable, reliableBytes, steps };
    }),
  );
  return makeContent({ name, segmentDuration: segmentSeconds, ladder, segments });
}
