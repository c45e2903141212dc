// @ts-check
// Videos and recorded links that configurations name: each is a file that is known by its SHA-256.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { UserError } from '../setup/process.mjs';

/**
 * `original`: where the file comes from, and how it is made of that; without a conversion it is the file.
 * @typedef {{ address: string, sha256: string, conversion?: keyof typeof CONVERSIONS }} Original
 * @typedef {{ name: string, sha256: string, original?: Original }} DataFile
 * @typedef {{ folder: string, about: string, licence: string, home: string, files: DataFile[] }} DataSet
 * @typedef {'there' | 'copied' | 'brought' | 'missing'} Result
 */

/** A download that hangs is given up. */
const TIMEOUT_MS = 600_000;

const CONVERSIONS = { 'bytes-per-second': tableOfRates, 'terminal-pings': tableOfConditions };

/**
 * Lines of a number and the bytes of that second, as a table of rates.
 * @param {Buffer} original @returns {Buffer}
 */
function tableOfRates(original) {
  const lines = original.toString('utf8').trim().split('\n');
  const rates = lines.map((line, second) => `${second},${((Number(line.split(/\s+/)[1]) * 8) / 1e6).toFixed(6)}\n`);
  return Buffer.from(`second,mbps\n${rates.join('')}`);
}

const LOSS = 'dish_status.pop_ping_drop_rate';
const ROUND_TRIP = 'dish_status.pop_ping_latency_ms';

/**
 * A Starlink terminal's own record of its pings, a row a second, as a table of conditions: half of the round trip, which in a second
 * without an answer is the one before.
 * @param {Buffer} original @returns {Promise<Buffer>}
 */
async function tableOfConditions(original) {
  const rows = await parquetReadObjects({
    file: Uint8Array.from(original).buffer,
    columns: [LOSS, ROUND_TRIP],
    compressors: { GZIP: (compressed) => gunzipSync(compressed) },
  });
  let roundTrip = rows.find((row) => row[ROUND_TRIP] > 0)?.[ROUND_TRIP] ?? 0;
  const lines = rows.map((row, second) => {
    if (row[ROUND_TRIP] > 0) roundTrip = row[ROUND_TRIP];
    return `${second},${(roundTrip / 2).toFixed(2)},${(100 * (row[LOSS] ?? 0)).toFixed(2)}\n`;
  });
  return Buffer.from(`second,delay_ms,loss_percent\n${lines.join('')}`);
}

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
    write(path, copy.isOriginal ? await converted(copy.path, bytes, original) : bytes, sha256);
    return 'copied';
  }
  if (original === undefined) return 'missing';
  write(path, await converted(original.address, await download(original.address), original), sha256);
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

/** @param {string} where @param {Buffer} bytes @param {Original | undefined} original */
async function converted(where, bytes, original) {
  if (original === undefined) return bytes;
  check(bytes, original.sha256, where);
  return original.conversion === undefined ? bytes : await CONVERSIONS[original.conversion](bytes);
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
