// @ts-check
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from '../setup/paths.mjs';
import { run } from '../setup/process.mjs';
import { prepareVideo } from '../start/prepare.mjs';
import { ensureSample, ffmpegBinary } from '../start/sample.mjs';

/** s; short enough to be seen to the end, long enough for a tunnel and what follows it. */
export const DURATION = 40;
export const SEGMENT_SECONDS = 2;

/** Small enough for a weak machine to decode three at once. */
export const REPRESENTATIONS = '240p:0.4,360p:0.7,360p:1.2';

/** The sample without its sound: sound travels by HTTP whatever the player, and nobody hears three at once. @returns {Promise<string>} its path */
export async function ensureSilentSample() {
  const silent = join(cacheFolder, 'sample-silent.mp4');
  if (existsSync(silent)) return silent;
  const sample = await ensureSample();
  const partial = join(cacheFolder, `partial-silent-${process.pid}.mp4`);
  try {
    const args = ['-v', 'error', '-y', '-nostdin', '-i', sample, '-map', '0:v', '-c', 'copy', partial];
    await run(ffmpegBinary(), args, { output: 'on-failure' });
    await rename(partial, silent);
  } finally {
    await rm(partial, { force: true });
  }
  return silent;
}

/** Prepares the video that is compared on; what is finished is used again. @returns {Promise<string>} the folder with manifest.mpd */
export async function prepareContent() {
  return prepareVideo({
    video: await ensureSilentSample(),
    duration: DURATION,
    representations: REPRESENTATIONS,
    segment: SEGMENT_SECONDS,
  });
}
