// @ts-check
import { mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startNginx } from '../../../test/browser/support/nginx.js';
import { say } from '../../../tools/setup/process.mjs';
import { startServer } from '../../../tools/start/server.mjs';
import { newestSegment, record, startLive } from '../live-viewers/replay.mjs';
import { UNLIMITED, viewServer } from '../server/probe.mjs';
import { cpuSeconds, residentBytes, rounded } from '../server/process-figures.mjs';

const RECORDED_SECONDS = 20;
const SEGMENTS = 12;
const PORTS = ['--http-port', '0', '--quic-port', '0'];

/** @typedef {{ program: string, probe: string }} Programs */

/**
 * What viewers of one live stream get. `originBytes`: those of segments and records that the origin has sent; `fileBytes`: those that these
 * files have. Both null of the server that has the files itself.
 * @typedef {{ viewers: number, wholeMsP50: number, wholeMsP95: number, lateShare: number, failedSessions: number, cores: number, mebibytes: number,
 *   originBytes: number | null, fileBytes: number | null }} Figures
 */

/**
 * The same live stream, from a server beside the encoder, and from an edge in front of nginx, and of that server.
 * @param {Programs} programs @param {string} folder @param {number} viewers
 * @returns {Promise<{ direct: Figures, polled: Figures, streamed: Figures }>}
 */
export async function liveThroughEdges(programs, folder, viewers) {
  const recording = join(folder, 'recording');
  say('edge: recording');
  await record(recording, RECORDED_SECONDS);
  const through = (/** @type {string} */ name, /** @type {StartOrigin} */ start) => {
    say(`edge: ${viewers} viewers of a live stream, ${name}`);
    return watch(programs, { recording, folder }, start, viewers);
  };
  return {
    direct: await through('direct', direct),
    polled: await through('polled', polled),
    streamed: await through('streamed', streamed),
  };
}

/**
 * What is between the encoder's folder and the edge. `url`: undefined where viewers ask the server of the folder. `sent`: the bytes of segments
 * that the origin has sent, of which nginx tells once it has stopped; `edge`: the address of the edge's counters.
 * @typedef {{ url?: string, sent?: (edge: string | null) => Promise<number>, stop: () => Promise<unknown> }} Origin
 * @typedef {(programs: Programs, site: string, folder: string) => Promise<Origin>} StartOrigin
 */

/** @type {StartOrigin} */
const direct = () => Promise.resolve({ stop: () => Promise.resolve() });

/** @type {StartOrigin} */
const polled = async (_, site, folder) => {
  const nginx = await startNginx(mkdtempSync(join(folder, 'nginx-')), site);
  const sent = async () => {
    await nginx.stop();
    const answers = nginx.requests().filter(({ path, status }) => path.includes('.m4s') && status < 300);
    return answers.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
  };
  return { url: nginx.url, sent, stop: () => nginx.stop() };
};

/** @type {StartOrigin} */
const streamed = async ({ program }, site) => {
  const server = await startServer([site, '--no-webtransport', ...PORTS, ...UNLIMITED], program);
  // Its own counter has the lines that say what was wrong with a request, too.
  const sent = (/** @type {string | null} */ edge) => counter(edge, 'voxel_origin_bytes_total');
  return { url: server.ready.url, sent, stop: () => server.stop() };
};

/**
 * @param {Programs} programs @param {{ recording: string, folder: string }} folders @param {StartOrigin} start @param {number} viewers
 * @returns {Promise<Figures>}
 */
async function watch(programs, { recording, folder }, start, viewers) {
  const site = mkdtempSync(join(folder, 'site-'));
  const origin = await start(programs, site, folder);
  const cache = mkdtempSync(join(folder, 'cache-'));
  const files = origin.url === undefined ? [site] : ['--origin', origin.url, '--cache-dir', cache];
  const server = await startServer([...files, ...PORTS, ...UNLIMITED], programs.program);
  const replay = startLive(recording, ['--out', site, '--replay']);
  try {
    const { track, number } = await newestSegment(site);
    const before = cpuSeconds(server.pid);
    const target = ['--target', `/${track}/$Number$.m4s`, '--follow', String(number)];
    const count = ['--sessions', String(viewers), '--requests', String(SEGMENTS)];
    const viewed = await viewServer(programs.probe, server.ready, [...target, ...count]);
    const cores = rounded((cpuSeconds(server.pid) - before) / viewed.seconds);
    const mebibytes = Math.round(residentBytes(server.pid) / 2 ** 20);
    const originBytes = (await origin.sent?.(server.ready.metrics)) ?? null;
    return {
      viewers,
      ...{ wholeMsP50: inMs(viewed.wholeMsP50), wholeMsP95: inMs(viewed.wholeMsP95) },
      ...{ lateShare: rounded(viewed.lateShare), failedSessions: viewed.failedSessions, cores, mebibytes, originBytes },
      fileBytes: originBytes === null ? null : bytesOf(join(site, track), number),
    };
  } finally {
    await replay.stop();
    await server.stop();
    await origin.stop();
  }
}

/** Bytes of the segments that were watched, with their records. @param {string} folder @param {number} first */
function bytesOf(folder, first) {
  const names = Array.from({ length: SEGMENTS }, (_, place) => `${first + place}.m4s`);
  return names
    .flatMap((name) => [name, `${name}.vxl`])
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

/** Where more are missing than that nobody knows. @param {number | null} ms */
const inMs = (ms) => (ms === null ? Infinity : Math.round(ms));

/** @param {string | null} url @param {string} name */
async function counter(url, name) {
  if (url === null) throw new Error('the server has no counters');
  const text = await (await fetch(url)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}
