// @ts-check
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { venvProgram } from '../setup/paths.mjs';
import { say, UserError } from '../setup/process.mjs';
import { ensureSample } from './sample.mjs';

/** A third of a core, so that two are enough for encoder, server and browser: loopback does not fade. */
const REPRESENTATIONS = '240p:0.4,360p:0.8,480p:1.3';

/** What can still be sought, s. */
const WINDOW = 60;

/** Seconds; the manifest comes with the first chunk. */
const PATIENCE = 60;

/** What the encoder says where it cannot keep up. */
const IS_BEHIND = / behind: /;

/**
 * Starts `voxel-live` with a video, or the sample, in a loop, and waits for its manifest. Throws a `UserError` where it fails.
 * @param {{ video: string | undefined, latency: number | undefined, codec?: string | undefined, representations?: string, window?: number }} options
 *   `codec`, `representations` and `window` (s) as of `voxel-live`
 * @returns {Promise<{ folder: string, failure(): UserError | undefined, exited: Promise<UserError>, stop(): Promise<void> }>}
 *   the folder with manifest.mpd, gone after `stop()`
 */
export async function startEncoder({
  video,
  latency,
  codec = 'h264',
  representations = REPRESENTATIONS,
  window = WINDOW,
}) {
  const input = video === undefined ? await ensureSample() : resolve(video);
  const folder = await mkdtemp(join(tmpdir(), 'voxel-live-'));
  const target = latency === undefined ? [] : ['--latency', String(latency)];
  const settings = ['--representations', representations, '--window', String(window), ...target];
  const args = [input, '--out', folder, '--clock', '--codec', codec, ...settings];
  const child = spawn(venvProgram('voxel-live'), args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  const onExit = () => {
    child.kill();
    removeFolder();
  };
  process.once('exit', onExit);

  let words = '';
  let hasWarned = false;
  createInterface({ input: child.stderr }).on('line', (line) => {
    words = line;
    if (!hasWarned && IS_BEHIND.test(line)) say(`voxel-live: ${line}`);
    hasWarned ||= IS_BEHIND.test(line);
  });
  /** @type {Promise<UserError>} */
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve(new UserError(`cannot run voxel-live: ${error.message}`, 1)));
    child.once('close', (code, signal) => {
      // Its last line may be one of progress.
      const isExplained = words.startsWith('voxel-live: ');
      const message = isExplained ? words : `voxel-live ended (${signal ?? `exit code ${code}`})`;
      resolve(new UserError(message, code === 2 ? 2 : 1));
    });
  });
  /** @type {UserError | undefined} */
  let failure;
  void exited.then((error) => (failure = error));
  const encoder = {
    folder,
    failure: () => failure,
    exited,
    async stop() {
      // At Ctrl-C it has had a signal already. A second one only cuts short how it ends files that nobody needs.
      child.kill('SIGINT');
      await exited;
      process.removeListener('exit', onExit);
      removeFolder();
    },
  };

  const deadline = performance.now() + 1000 * PATIENCE;
  while (!existsSync(join(folder, 'manifest.mpd'))) {
    if (!failure && performance.now() < deadline) {
      await wait(50);
      continue;
    }
    const reason = failure ?? new UserError(`voxel-live wrote no manifest in ${PATIENCE} s`, 1);
    await encoder.stop();
    throw reason;
  }
  return encoder;
}
