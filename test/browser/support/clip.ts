import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { venvProgram } from '../../../tools/setup/paths.mjs';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';

export interface SyntheticClip {
  readonly seconds: number;
  readonly segmentSeconds: number;
}

/** Draws a moving picture with a tone, and prepares it in `folder` in three small levels; returns the media folder. */
export function prepareClip(folder: string, { seconds, segmentSeconds }: SyntheticClip): string {
  const source = join(folder, 'source.mp4');
  const media = join(folder, 'media');
  const picture = `testsrc2=size=426x240:rate=25:duration=${seconds}`;
  const tone = `sine=frequency=440:duration=${seconds}`;
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', tone];
  run(ffmpegBinary(), [...inputs, '-preset', 'ultrafast', '-crf', '12', '-pix_fmt', 'yuv420p', '-c:a', 'aac', source]);
  const quick = ['--preset', 'veryfast', '--passes', '1', '--levels', '144p,240p'];
  run(venvProgram('voxel-prepare'), [source, '--out', media, '--segment', String(segmentSeconds), ...quick]);
  return media;
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr.trim()}`);
}
