// @ts-check
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * What `voxel-probe` prints.
 * @typedef {{
 *   requests: number, failedSessions: number, seconds: number, bytes: number, mbps: number,
 *   lostShare: number, lostShareMax: number, firstByteMsP50: number, firstByteMsP99: number, wholeMsP50: number,
 * }} Measurement
 */

/** @typedef {import('../../../tools/start/server.mjs').Ready} Ready */

/** Options of a server whose clients all come from one address, however many they are. */
export const UNLIMITED = ['connections', 'sessions', 'requests'].flatMap((held) => [`--max-${held}-per-address`, '0']);

/**
 * Measures a server on this machine.
 * @param {string} probe program @param {Ready} server @param {string[]} options @returns {Promise<Measurement>}
 */
export async function probeServer(probe, { endpoint, certificateHashes }, options) {
  const { stdout } = await promisify(execFile)(probe, [endpoint, '--hash', certificateHashes[0] ?? '', ...options]);
  return /** @type {Measurement} */ (JSON.parse(stdout));
}

/**
 * What `voxel-probe --follow` prints, of all chunks of all sessions. `wholeMs…`: from the capture to the last byte; null: of more chunks than
 * that bytes are missing.
 * @typedef {{
 *   chunks: number, failedSessions: number, seconds: number, mbps: number, lateShare: number, incompleteShare: number,
 *   wholeMsP50: number | null, wholeMsP95: number | null,
 * }} Viewing
 */

/**
 * Follows a live stream of a server on this machine.
 * @param {string} probe program @param {Ready} server @param {string[]} options @returns {Promise<Viewing>}
 */
export async function viewServer(probe, { endpoint, certificateHashes }, options) {
  const { stdout } = await promisify(execFile)(probe, [endpoint, '--hash', certificateHashes[0] ?? '', ...options]);
  return /** @type {Viewing} */ (JSON.parse(stdout));
}

const LINK_ADDRESS = '10.77.0.1';
const DELAY_MS = 15;

/**
 * Starts a server behind an emulated link and measures it from the other end.
 * @param {{ linkemu: string, program: string, probe: string }} programs @param {string} folder that is served
 * @param {{ mbps: number, packets: number }} link rate and queue of the server's direction
 * @param {string[]} options of the probe
 * @returns {Promise<Measurement>}
 */
export async function probeOnLink({ linkemu, program, probe }, folder, { mbps, packets }, options) {
  const own = mkdtempSync(join(folder, '.link-'));
  try {
    const queue = { discipline: 'drop-tail', limit: { packets } };
    const down = { trace: { mbps }, delayMs: DELAY_MS, queue };
    const link = join(own, 'link.json');
    const up = { ...down, trace: { mbps: Math.max(mbps, 100) } };
    writeFileSync(link, JSON.stringify({ seed: 1, paths: [{ down, up }] }));
    const ready = join(own, 'ready.json');
    const ports = ['--http-port', '8080', '--quic-port', '4433'];
    const serve = [program, folder, '--host', LINK_ADDRESS, '--insecure', ...ports];
    const server = ['sh', '-c', 'out="$0"; exec "$@" > "$out"', ready, ...serve];
    const script =
      'until [ -s "$0" ]; do sleep 0.1; done; hash="$(grep -o "[A-Za-z0-9+/]\\{43\\}=" "$0")"; exec "$@" --hash "$hash"';
    const request = [probe, `https://${LINK_ADDRESS}:4433/voxel`, ...options];
    const words = ['run', link, '--', ...server, '---', 'sh', '-c', script, ready, ...request];
    const { stdout } = await promisify(execFile)(linkemu, words);
    return /** @type {Measurement} */ (JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  } finally {
    rmSync(own, { recursive: true });
  }
}
