// @ts-check
import { createHash } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './process.mjs';

/** ms between two looks at a lock: what it guards takes seconds. */
const LOOK_INTERVAL = 100;

/** Outside of what is set up, which may be deleted and made anew. @param {string} name */
export const lockFile = (name) =>
  join(tmpdir(), `voxel-dash-${createHash('sha256').update(name).digest('hex').slice(0, 16)}.lock`);

/**
 * Does `work` while nobody else on this machine does what has the same name, in this process or another. The lock of a process that
 * has ended counts no more.
 * @template Result
 * @param {string} name @param {() => Promise<Result>} work @returns {Promise<Result>}
 */
export async function exclusively(name, work) {
  const file = lockFile(name);
  for (let looks = 0, holder = take(file); holder !== undefined; holder = take(file)) {
    if (looks++ === 0) say(`waiting for process ${holder}, which sets up ${name} (${file}) …`);
    await sleep(LOOK_INTERVAL);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

let attempts = 0;

/** @param {string} file @returns {number | undefined} the process that has the lock, unless it is ours now */
function take(file) {
  const own = `${file}-${process.pid}-${attempts++}`;
  writeFileSync(own, `${process.pid}`);
  try {
    // Unlike a file that is opened and then written, a link has its content as soon as it is there.
    linkSync(own, file);
    return undefined;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(own);
  }
  const holder = holderOf(file);
  if (holder !== undefined && isRunning(holder)) return holder;
  if (holder !== undefined) takeAway(file, holder, own);
  return take(file);
}

/** @param {string} file @param {number} ended its holder @param {string} aside */
function takeAway(file, ended, aside) {
  try {
    renameSync(file, aside);
    // Others who saw the same may have been faster, and what was taken away is the lock of the first of them.
    if (holderOf(aside) !== ended) linkSync(aside, file);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
  rmSync(aside, { force: true });
}

/** @param {string} file */
function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

/** @param {number} id of a process */
function isRunning(id) {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code;
