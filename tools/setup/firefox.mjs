// @ts-check
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { say, UserError } from './process.mjs';
import { installSystemPackages } from './system-packages.mjs';

/** @returns the path of an installed Firefox ESR or Firefox; `$FIREFOX` goes first */
export function findFirefox() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = ['firefox-esr', 'firefox'].flatMap((name) => folders.map((folder) => join(folder, name)));
  return [process.env.FIREFOX ?? '', ...candidates].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return path !== '';
    } catch {
      return false;
    }
  });
}

/** Finds Firefox, or installs it from Debian's packages; where that cannot be, says so. @returns {Promise<void>} */
export async function ensureFirefox() {
  if (findFirefox()) return;
  try {
    // It decodes H.264 with the libavcodec of the package ffmpeg.
    await installSystemPackages(['firefox-esr', 'ffmpeg'], 'no Firefox found');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    say(`${error.message}; its tests are left out`);
  }
}
