import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { venvProgram } from '../../../tools/setup/paths.mjs';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';

export interface SyntheticClip {
  readonly seconds: number;
  readonly segmentSeconds: number;
  /** `moving`: a test picture with a tone. `flashes`: from the first second on, a white flash and a beep each second. */
  readonly content?: 'moving' | 'flashes';
  /** Of both unless it says otherwise. */
  readonly representations?: '144p' | '144p,240p';
}

const FLASH = 'lt(mod(T\\,1)\\,0.2)*gte(T\\,1)';
const PICTURE = 'size=426x240:rate=25';

/** FFmpeg's lavfi sources of picture and sound. */
const contents = {
  moving: [`testsrc2=${PICTURE}`, 'sine=frequency=440'],
  flashes: [
    `nullsrc=${PICTURE},geq=lum=16+219*${FLASH}:cb=128:cr=128`,
    `aevalsrc=${FLASH.replaceAll('T', 't')}*sin(2764*t):sample_rate=48000`,
  ],
} as const;

/** Draws the clip and prepares it in `folder`; returns the media folder. */
export function prepareClip(folder: string, clip: SyntheticClip): string {
  const { seconds, content = 'moving' } = clip;
  const source = sourceIn(folder);
  const media = join(folder, 'media');
  const inputs = contents[content].flatMap((input) => ['-f', 'lavfi', '-i', input]);
  run(ffmpegBinary(), [
    ...inputs,
    '-t',
    String(seconds),
    '-preset',
    'ultrafast',
    '-crf',
    '12',
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
    source,
  ]);
  prepare(source, media, clip);
  return media;
}

/** A copy of what `prepareClip` made in `folder`, with the segments described in the manifest as well. */
export function describeInline(folder: string, clip: SyntheticClip): string {
  const media = join(folder, 'inline');
  cpSync(join(folder, 'media'), media, { recursive: true, preserveTimestamps: true });
  prepare(sourceIn(folder), media, clip, '--inline');
  return media;
}

function sourceIn(folder: string): string {
  return join(folder, 'source.mp4');
}

function prepare(source: string, media: string, clip: SyntheticClip, ...options: readonly string[]): void {
  const { segmentSeconds, representations = '144p,240p' } = clip;
  const quick = ['--preset', 'veryfast', '--passes', '1', '--representations', representations];
  run(venvProgram('voxel-prepare'), [
    source,
    '--out',
    media,
    '--segment',
    String(segmentSeconds),
    ...quick,
    ...options,
  ]);
}

/** Runs a program to its end. Throws what it said where it fails. */
export function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr.trim()}`);
}
