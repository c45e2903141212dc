// @ts-check
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../tools/setup/paths.mjs';
import { say, UserError } from '../../../tools/setup/process.mjs';
import { ensureSample } from '../../../tools/start/sample.mjs';

/** Clips beside the checkout. */
const CLIPS = join(root, '../shared/data/videos');

/** Paths of the sample and of all clips, or of those of that name. @param {string | undefined} name @returns {Promise<string[]>} */
export async function sampleAndClips(name) {
  const shared = existsSync(CLIPS) ? readdirSync(CLIPS).filter((file) => file.endsWith('.mp4')) : [];
  if (shared.length === 0) say(`${CLIPS} is absent: only the sample is measured`);
  const all = [await ensureSample(), ...shared.sort().map((file) => join(CLIPS, file))];
  const chosen = all.filter((path) => name === undefined || path.endsWith(`/${name}`));
  if (chosen.length === 0) throw new UserError(`--clip must be one of ${all.join(', ')}, got '${name}'`);
  return chosen;
}
