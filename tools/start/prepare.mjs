// @ts-check
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import { exclusively } from '../setup/exclusively.mjs';
import { cacheFolder, venvProgram } from '../setup/paths.mjs';
import { run, UserError } from '../setup/process.mjs';
import { ensureSample } from './sample.mjs';

/** A newcomer waits for this: one fast pass. `voxel-prepare` itself defaults to the thesis' two slow ones. */
const QUICK_ENCODE = ['--preset', 'veryfast', '--passes', '1'];
/** A quick choice of orders. */
const CHOICE = ['--choice', 'predicted'];
/** Where no codec is named the frames of the thesis: with others, kept sessions of trials could not be gone on with. */
const FRAMES = ['--profile', 'thesis'];
/** Enough steps to see the rule at work, few enough to be ready in a minute or two. */
const SAMPLE_REPRESENTATIONS = '144p,240p:0.37,360p:0.75,480p:1.05,720p:2.35,720p:3';

/** Throws a `UserError` where the file does not exist. @param {string | undefined} video */
export function requireVideo(video) {
  if (video !== undefined && !existsSync(video)) throw new UserError(`no such file: ${video}`);
}

/**
 * Prepares the user's video, or the sample; what is finished is used again, and what another process prepares is waited for.
 * `representations` as for `voxel-prepare --representations`, `codec` as for `--codec`, `segment` in seconds, `metric` as for `--metric`.
 * @param {{ video: string | undefined, duration: number | undefined, codec?: string | undefined, start?: number, representations?: string, segment?: number, metric?: string }} options
 * @returns {Promise<string>} the folder with manifest.mpd
 */
export async function prepareVideo({ video, duration, codec, start, representations, segment, metric }) {
  requireVideo(video);
  const input = video === undefined ? await ensureSample() : resolve(video);
  const ladder = representations ?? (video === undefined ? SAMPLE_REPRESENTATIONS : undefined);
  const settings = [...QUICK_ENCODE];
  if (ladder !== undefined) settings.push('--representations', ladder);
  if (codec !== undefined) settings.push('--codec', codec);
  if (start !== undefined) settings.push('--start', String(start));
  if (duration !== undefined) settings.push('--duration', String(duration));
  if (segment !== undefined) settings.push('--segment', String(segment));
  if (metric !== undefined) settings.push('--metric', metric);
  const key = createHash('sha256')
    .update([input, ...settings].join('\0'))
    .digest('hex')
    .slice(0, 8);
  const folder = join(cacheFolder, 'media', `${basename(input, extname(input))}-${key}`);
  const jobs = String(availableParallelism());
  // The folder is ours alone, and its name says what it holds: only a source that has changed is replaced.
  const options = ['--out', folder, '--replace', '--no-next', '--jobs', jobs, ...CHOICE, ...settings];
  if (codec === undefined) options.push(...FRAMES);
  await exclusively(folder, () => run(venvProgram('voxel-prepare'), [input, ...options], { kind: 'tool' }));
  return folder;
}
