// @ts-check
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installSystemPackages } from './system-packages.mjs';

const NAMES = ['google-chrome-stable', 'google-chrome', 'chromium', 'chromium-browser', 'chrome'];
const MAC_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns the path of an installed Chrome or Chromium; `$CHROME` goes first */
export function findChrome() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [process.env.CHROME ?? '', ...candidates, ...MAC_PATHS].find((path) => path && isExecutable(path));
}

/** Finds Chrome, or installs Chromium from the system's packages; never downloads a browser. @returns {Promise<string>} */
export async function ensureChrome() {
  const found = findChrome();
  if (found) return found;
  await installSystemPackages(['chromium'], 'no Chrome or Chromium found');
  return findChrome() ?? '/usr/bin/chromium';
}
