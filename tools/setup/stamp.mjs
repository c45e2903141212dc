// @ts-check
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exclusively } from './exclusively.mjs';
import { root } from './paths.mjs';

/** @param {string} path @returns {string[]} the files at or below `path`, relative to the root, sorted */
function filesBelow(path) {
  if (statSync(join(root, path)).isFile()) return [path];
  const names = readdirSync(join(root, path)).sort();
  return names.filter((name) => name !== '__pycache__').flatMap((name) => filesBelow(join(path, name)));
}

/** @param {string[]} paths files and folders relative to the root @returns a digest of their names and contents */
export function digestOf(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesBelow)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

/**
 * Does `work` unless the stamp file says that it was done with the same inputs; so a second run costs nothing, and of several at the
 * same time one works and the others wait.
 * @param {string} stampFile @param {string} digest @param {() => Promise<void>} work @returns {Promise<void>}
 */
export async function once(stampFile, digest, work) {
  if (isStamped(stampFile, digest)) return;
  await exclusively(stampFile, async () => {
    if (isStamped(stampFile, digest)) return;
    await work();
    mkdirSync(dirname(stampFile), { recursive: true });
    // Another file: where checkouts share theirs as hard links, the others' stamps stay what they were.
    rmSync(stampFile, { force: true });
    writeFileSync(stampFile, digest);
  });
}

/** @param {string} stampFile @param {string} digest */
function isStamped(stampFile, digest) {
  try {
    return readFileSync(stampFile, 'utf8') === digest;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    return false;
  }
}
