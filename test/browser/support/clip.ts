import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { venvProgram } from '../../../tools/setup/paths.mjs';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';

export interface SyntheticClip {
  readonly seconds: number;
  readonly segmentSeconds: number;
  /** `moving`: a test picture with a tone. `flashes`: from the first second on, a white flash and a beep each second. */
  readonly content?: 'moving' | 'flashes';
  /** As `voxel-prepare` takes them; unless it says otherwise one of each of two sizes. */
  readonly representations?: string;
  /** As `voxel-prepare` takes it. */
  readonly codec?: string;
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

/** Puts the prepared clip into `folder`; returns the media folder. */
export async function prepareClip(folder: string, clip: SyntheticClip): Promise<string> {
  const media = join(folder, 'media');
  copyMedia(await sharedClip(clip), media);
  return media;
}

/** The same with the segments described in the manifest as well. */
export async function describeInline(folder: string, clip: SyntheticClip): Promise<string> {
  return preparedAgain(folder, clip, '--inline');
}

/** The same with segments in files of their own, which the playlists name. */
export async function writeSegmentFiles(folder: string, clip: SyntheticClip): Promise<string> {
  return preparedAgain(folder, clip, '--hls-files');
}

async function preparedAgain(folder: string, clip: SyntheticClip, option: string): Promise<string> {
  const shared = await sharedClip(clip);
  const media = join(folder, option.slice(2));
  copyMedia(shared, media);
  prepare(sourceIn(shared), media, clip, option);
  return media;
}

function copyMedia(shared: string, media: string): void {
  cpSync(join(shared, 'media'), media, { recursive: true, preserveTimestamps: true });
}

/** A folder with the clip drawn and prepared: once in a run, by whichever test file needs it first. */
async function sharedClip(clip: SyntheticClip): Promise<string> {
  const folder = join(inject('clips'), createHash('sha256').update(JSON.stringify(clip)).digest('hex'));
  const [made, failed] = [join(folder, 'made'), join(folder, 'failed')];
  if (mkdirSync(folder, { recursive: true }) !== undefined) {
    try {
      draw(sourceIn(folder), clip);
      prepare(sourceIn(folder), join(folder, 'media'), clip);
    } catch (error) {
      writeFileSync(failed, '');
      throw error;
    }
    writeFileSync(made, '');
  }
  while (!existsSync(made)) {
    if (existsSync(failed))
      throw new Error('another test file could not prepare the clip that it shares with this one');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return folder;
}

function draw(source: string, { seconds, content = 'moving' }: SyntheticClip): void {
  const inputs = contents[content].flatMap((input) => ['-f', 'lavfi', '-i', input]);
  const coding = ['-preset', 'ultrafast', '-crf', '12', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  run(ffmpegBinary(), [...inputs, '-t', String(seconds), ...coding, source]);
}

function sourceIn(folder: string): string {
  return join(folder, 'source.mp4');
}

function prepare(source: string, media: string, clip: SyntheticClip, ...options: readonly string[]): void {
  const { segmentSeconds, representations = '144p,240p:0.37', codec = 'h264' } = clip;
  const content = ['--segment', String(segmentSeconds), '--representations', representations, '--codec', codec];
  // To find the best of all orders takes a third of the time, and is what the tests of preparation do.
  const quick = ['--preset', 'veryfast', '--passes', '1', '--order', 'unreferenced'];
  run(venvProgram('voxel-prepare'), [source, '--out', media, ...content, ...quick, ...options]);
}

/** Runs a program to its end. Throws what it said where it fails. */
export function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr.trim()}`);
}
