import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';

const LARGEST_DECODE_BYTES = 1 << 30;
let binary: string | undefined;

/**
 * FFmpeg's decode of one segment behind its init segment, in the strictest mode it has: any complaint is an error.
 * Returns I420 pictures in display order, one after the other.
 */
export function strictDecode(init: Uint8Array, segment: Uint8Array): Buffer {
  binary ??= ffmpegBinary();
  const strict = ['-v', 'error', '-xerror', '-err_detect', 'explode'];
  const args = [
    ...strict,
    '-i',
    'pipe:0',
    '-fps_mode',
    'passthrough',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'yuv420p',
    'pipe:1',
  ];
  const input = Buffer.concat([init, segment]);
  const result = spawnSync(binary, args, { input, maxBuffer: LARGEST_DECODE_BYTES });
  const complaint = result.stderr.toString().trim();
  if (result.status !== 0 || complaint !== '') throw new Error(`ffmpeg: ${complaint || `exit code ${result.status}`}`);
  return result.stdout;
}

/** SHA-256 of picture `index` of a raw I420 decode. */
export function pictureDigest(pictures: Buffer, index: number, size: { width: number; height: number }): string {
  const bytes = (size.width * size.height * 3) / 2;
  return createHash('sha256')
    .update(pictures.subarray(index * bytes, (index + 1) * bytes))
    .digest('hex');
}
