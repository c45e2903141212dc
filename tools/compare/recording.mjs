// @ts-check
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../setup/process.mjs';

/** Below the page's folder, where it looks for the run. */
const RUN = 'run';

/** A page that anybody may copy stays small. */
const MOST_BYTES = 30e6;

/** Makes the folder of a recording. Throws a `UserError` where that cannot be. @param {string} folder @returns {string} where the run's files belong */
export function makeRunFolder(folder) {
  const run = join(folder, RUN);
  try {
    mkdirSync(run, { recursive: true });
  } catch (error) {
    throw new UserError(`--record: cannot make ${run}: ${/** @type {NodeJS.ErrnoException} */ (error).code}`);
  }
  return run;
}

/** Makes the folder of a recording, and in it the page that plays it. @param {string} folder @param {string} page the built page @returns {string} where the run's files belong */
export function writeRecordedPage(folder, page) {
  const run = makeRunFolder(folder);
  // The player's own script is not needed: the browser plays what was appended.
  const html = readFileSync(join(page, 'index.html'), 'utf8')
    .replace(/^.*dash\.all\.min\.js.*\n/m, '')
    .replace('compare.js', 'recorded.js');
  writeFileSync(join(folder, 'index.html'), html);
  for (const name of ['recorded.js', 'base.css', 'compare.css']) cpSync(join(page, name), join(folder, name));
  return run;
}

/** What the folder holds, for whoever copies it. Throws a `UserError` where it is too large. @param {string} folder */
export function sizeOfRecording(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  if (bytes > MOST_BYTES)
    throw new UserError(`${folder} has ${(bytes / 1e6).toFixed(1)} MB, at most ${MOST_BYTES / 1e6} are wanted`, 1);
  return { files: files.length, bytes };
}
