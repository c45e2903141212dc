import { join } from 'node:path';
import { cacheFolder } from '../../../tools/setup/paths.mjs';
import { ffmpegBinary } from '../../../tools/start/sample.mjs';
import { run } from '../../browser/support/clip.js';

/** The reader's film: the beginning of the sample, small. */
export function cutSample(path: string, seconds: number): void {
  const sample = join(cacheFolder, 'sample-60s.mp4');
  const coding = ['-preset', 'ultrafast', '-crf', '12', '-c:a', 'aac'];
  run(ffmpegBinary(), ['-i', sample, '-t', String(seconds), '-vf', 'scale=426:240', ...coding, path]);
}
