import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BoxReader } from '../../src/repair/box-reader.js';
import { ffmpegBinary } from '../../tools/start/sample.mjs';
import { asAvc3, withZeros } from './avcc.js';

/** An encode that takes a branch of its own through the parsers. */
export interface SyntheticClip {
  readonly name: string;
  /** A lavfi source. */
  readonly source: string;
  readonly codec: string;
  readonly encoder: readonly string[];
  /** A fragment for each frame, not for each group of pictures: its size is then a default. */
  readonly fragments?: 'frames';
  /** What becomes of the file. */
  readonly edit?: (file: Buffer) => Buffer;
}

const GROUP = 'keyint=24:min-keyint=24:scenecut=0';
const TEST_PICTURE = 'testsrc2=size=320x180:rate=24';
const FRACTAL = 'mandelbrot=size=320x180:rate=24';

export const SYNTHETIC_CLIPS: readonly SyntheticClip[] = [
  {
    name: 'main-cabac',
    source: TEST_PICTURE,
    codec: 'avc1.4d400d',
    encoder: ['-profile:v', 'main', '-x264-params', `${GROUP}:bframes=3:b-pyramid=normal:weightb=1:weightp=2:ref=4`],
  },
  {
    name: 'high-8x8-scaling-lists',
    source: FRACTAL,
    codec: 'avc1.64000d',
    encoder: ['-profile:v', 'high', '-x264-params', `${GROUP}:8x8dct=1:cqm=jvt:direct=temporal:repeat-headers=1`],
  },
  {
    name: 'high-4-slices',
    source: TEST_PICTURE,
    codec: 'avc1.64000d',
    encoder: ['-profile:v', 'high', '-x264-params', `${GROUP}:slices=4:bframes=2`],
  },
  {
    name: 'baseline-cavlc',
    source: FRACTAL,
    codec: 'avc1.42c00d',
    encoder: ['-profile:v', 'baseline', '-x264-params', GROUP],
  },
  {
    name: 'cavlc-b-frames-4-slices',
    source: TEST_PICTURE,
    codec: 'avc1.4d400d',
    encoder: ['-profile:v', 'main', '-x264-params', `${GROUP}:cabac=0:slices=4:bframes=3`],
  },
  {
    name: 'slices-hardly-longer-than-their-repair',
    source: 'smptebars=size=320x180:rate=24,noise=alls=4:allf=t',
    codec: 'avc1.64000d',
    encoder: ['-profile:v', 'high', '-x264-params', `${GROUP}:qp=51:slices=4`],
  },
  {
    name: 'avc3-parameter-sets-in-samples',
    source: TEST_PICTURE,
    codec: 'avc3.64000d',
    encoder: ['-profile:v', 'high', '-x264-params', `${GROUP}:bframes=2:repeat-headers=1`],
    edit: asAvc3,
  },
  {
    name: 'a-fragment-for-each-frame-and-zeros-after-parameter-sets',
    source: TEST_PICTURE,
    codec: 'avc1.64000d',
    // With B pictures FFmpeg's demuxer gives two pictures of such a file one time.
    encoder: ['-profile:v', 'high', '-x264-params', `${GROUP}:bframes=0:repeat-headers=1`],
    fragments: 'frames',
    edit: withZeros,
  },
];

const SECONDS = 2;
/** Negative composition offsets: the first picture is shown at 0. */
const FRAGMENTED = '+empty_moov+default_base_moof+negative_cts_offsets';
const A_GROUP_EACH = ['-movflags', `${FRAGMENTED}+frag_keyframe`];
const A_FRAME_EACH = ['-movflags', `${FRAGMENTED}+frag_every_frame`];

/** Encodes a clip to a fragmented MP4 in `folder`, a fragment for each group of pictures; returns its path. */
export function encodeClip({ name, source, encoder, fragments, edit }: SyntheticClip, folder: string): string {
  const path = join(folder, `${name}.mp4`);
  const input = ['-f', 'lavfi', '-i', source, '-t', String(SECONDS), '-pix_fmt', 'yuv420p'];
  const muxer = fragments === 'frames' ? A_FRAME_EACH : A_GROUP_EACH;
  ffmpeg([...input, '-c:v', 'libx264', '-preset', 'medium', ...encoder, ...muxer, path]);
  if (edit) writeFileSync(path, edit(readFileSync(path)));
  return path;
}

/** Copies a file's video into a fragmented MP4 at `path`, nothing re-encoded. */
export function remuxClip(file: string, path: string): void {
  ffmpeg(['-i', file, '-an', '-c', 'copy', ...A_GROUP_EACH, path]);
}

/** Where the initialization segment of a file ends. */
export function initEnd(file: Uint8Array): number {
  return new BoxReader(file).all().find(({ type }) => type === 'moov')!.end;
}

function ffmpeg(args: readonly string[]): void {
  const result = spawnSync(ffmpegBinary(), ['-v', 'error', '-y', '-nostdin', ...args], { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`ffmpeg: ${result.stderr.trim()}`);
}
