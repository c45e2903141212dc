// @ts-check
// Videos and recorded links that configurations name: each is a file that is known by its SHA-256.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { UserError } from '../setup/process.mjs';
import { CONVERSIONS } from './conversions.mjs';

/**
 * `original`: where the file comes from, and how it is made of that; without a conversion it is the file.
 * @typedef {{ address: string, sha256: string, conversion?: keyof typeof CONVERSIONS }} Original
 * @typedef {{ name: string, sha256: string, original?: Original }} DataFile
 * @typedef {{ folder: string, about: string, licence: string, home: string, files: DataFile[] }} DataSet
 * @typedef {'there' | 'copied' | 'brought' | 'missing'} Result
 */

/** A download that hangs is given up. */
const TIMEOUT_MS = 600_000;

/** @param {Buffer} bytes */
const digestOf = (bytes) => createHash('sha256').update(bytes).digest('hex');

/**
 * Sees to it that `to` holds a file of the manifest. What is there and is another file is left alone.
 * @param {DataSet} set @param {DataFile} file
 * @param {{ from: string | undefined, to: string }} folders `from`: copies at hand, laid out like `to`
 * @returns {Promise<Result>} Throws a `UserError` where something is not what the manifest says.
 */
export async function obtain({ folder }, { name, sha256, original }, { from, to }) {
  const path = join(to, folder, name);
  if (existsSync(path)) {
    check(readFileSync(path), sha256, path);
    return 'there';
  }
  const copy = from === undefined ? undefined : copyIn(join(from, folder), name, original);
  if (copy !== undefined) {
    const bytes = readFileSync(copy.path);
    write(path, copy.isOriginal ? await converted(name, copy.path, bytes, original) : bytes, sha256);
    return 'copied';
  }
  if (original === undefined) return 'missing';
  write(path, await converted(name, original.address, await download(original.address), original), sha256);
  return 'brought';
}

/**
 * The file itself, or its original beside it or in `orig/`.
 * @param {string} folder @param {string} name @param {Original | undefined} original
 */
function copyIn(folder, name, original) {
  if (existsSync(join(folder, name))) return { path: join(folder, name), isOriginal: false };
  if (original === undefined) return undefined;
  const its = basename(new URL(original.address).pathname);
  const path = [join(folder, its), join(folder, 'orig', its)].find((candidate) => existsSync(candidate));
  return path === undefined ? undefined : { path, isOriginal: true };
}

/** @param {string} name @param {string} where @param {Buffer} bytes @param {Original | undefined} original */
async function converted(name, where, bytes, original) {
  if (original === undefined) return bytes;
  check(bytes, original.sha256, where);
  return original.conversion === undefined
    ? bytes
    : await CONVERSIONS[original.conversion](bytes, basename(name, extname(name)));
}

/** @param {string} address */
async function download(address) {
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`${address} cannot be downloaded: ${reason}; --from DIR takes copies at hand`, 1);
  }
}

/** @param {string} path @param {Buffer} bytes @param {string} sha256 */
function write(path, bytes, sha256) {
  check(bytes, sha256, path);
  mkdirSync(dirname(path), { recursive: true });
  // An interruption leaves no half file.
  writeFileSync(`${path}.partial`, bytes);
  renameSync(`${path}.partial`, path);
}

/** @param {Buffer} bytes @param {string} expected @param {string} where */
function check(bytes, expected, where) {
  const found = digestOf(bytes);
  if (found !== expected) throw new UserError(`${where}: expected SHA-256 ${expected}, found ${found}`, 1);
}
