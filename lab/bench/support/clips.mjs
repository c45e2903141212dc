// @ts-check
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { say, UserError } from '../../../tools/setup/process.mjs';
import { ensureSample } from '../../../tools/start/sample.mjs';

const FOLDER = join(root, '../shared/data/videos');

/** Paths of the clips beside the checkout, or of the one of that name. @param {string | undefined} name @returns {string[]} */
export function clips(name) {
  const chosen = present().filter((path) => isNamed(path, name));
  if (chosen.length === 0) throw new UserError(`expected video files at ${join(FOLDER, name ?? '')}, found none`);
  return chosen;
}

/** Paths of the sample and of those clips, or of the one of that name. @param {string | undefined} name @returns {Promise<string[]>} */
export async function sampleAndClips(name) {
  const beside = present();
  if (beside.length === 0) say(`${FOLDER} is absent: only the sample is measured`);
  const all = [await ensureSample(), ...beside];
  const chosen = all.filter((path) => isNamed(path, name));
  if (chosen.length === 0) throw new UserError(`--clip must be one of ${all.join(', ')}, got '${name}'`);
  return chosen;
}

function present() {
  const files = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  return files
    .filter((file) => file.endsWith('.mp4'))
    .sort()
    .map((file) => join(FOLDER, file));
}

/** @param {string} path @param {string | undefined} name */
function isNamed(path, name) {
  return name === undefined || basename(path) === name;
}
