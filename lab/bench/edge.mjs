// @ts-check
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { say, UserError } from '../../tools/setup/process.mjs';
import { ensureQuicheProbe, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { prepareVideo } from '../../tools/start/prepare.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { hasNginx, NGINX_MISSING, startNginx } from '../../test/browser/support/nginx.js';
import { probeServer, UNLIMITED } from './server/probe.mjs';
import { cpuSeconds, residentBytes, rounded } from './server/process-figures.mjs';
import { atMost, barLine } from '../sim/report/bar.js';

export const usage = `npm run bench -- edge [--viewers 200] [--json]: native clients that all get the same film at once from voxel-quiche in
front of a plain nginx, with an empty cache. Counts at nginx what was fetched, and takes the edge's time and memory. --json: one object on
standard output. Exit code 1 where nginx sends more bytes than the film has, or a session fails.`;

export const options = /** @type {const} */ ({
  viewers: { type: 'string', default: '200' },
  json: { type: 'boolean', default: false },
});

/** A representation of the sample of a few megabytes: the clients run on the same machine. */
const FILM = { video: undefined, duration: 24, representations: '144p,240p:0.37' };

/** @param {{ viewers: string, json: boolean }} values @returns {Promise<import('../sim/report/bar.js').Bar[]>} */
export async function main({ viewers, json }) {
  if (!hasNginx()) throw new UserError(NGINX_MISSING, 1);
  if (!/^[1-9]\d*$/.test(viewers)) throw new UserError(`--viewers must be a positive integer, got '${viewers}'`);
  const program = await ensureQuicheServer();
  const probe = await ensureQuicheProbe();
  const media = await prepareVideo(FILM);
  const folder = mkdtempSync(join(tmpdir(), 'bench-edge-'));
  try {
    say(`edge: ${viewers} viewers`);
    const figures = await watch({ program, probe }, { media, folder }, viewers);
    const bars = [
      atMost('bytes from the origin by those of the film', figures.originBytes / figures.filmBytes, 1),
      atMost('requests to the origin by blocks of the film', figures.originRequests / figures.blocks, 1),
      atMost('failed sessions', figures.failedSessions, 0),
    ];
    console.log(json ? JSON.stringify(figures) : [JSON.stringify(figures), ...bars.map(barLine)].join('\n'));
    return bars;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const BLOCK_BYTES = 512 * 1024;

/** @param {{ program: string, probe: string }} programs @param {{ media: string, folder: string }} folders @param {string} viewers */
async function watch({ program, probe }, { media, folder }, viewers) {
  const film = largestFilm(media);
  const [state, cache] = [join(folder, 'nginx'), join(folder, 'cache')];
  mkdirSync(state);
  const nginx = await startNginx(state, media);
  const ports = ['--http-port', '0', '--quic-port', '0'];
  const edge = await startServer(['--origin', nginx.url, '--cache-dir', cache, ...ports, ...UNLIMITED], program);
  try {
    const before = cpuSeconds(edge.pid);
    const measured = await probeServer(probe, edge.ready, ['--target', `/${film}`, '--sessions', viewers]);
    const cores = (cpuSeconds(edge.pid) - before) / measured.seconds;
    const mebibytes = Math.round(residentBytes(edge.pid) / 2 ** 20);
    await nginx.stop();
    const asked = nginx.requests().filter(({ path }) => path === `/${film}`);
    const filmBytes = statSync(join(media, film)).size;
    return {
      viewers: Number(viewers),
      filmBytes,
      blocks: Math.ceil(filmBytes / BLOCK_BYTES),
      originRequests: asked.length,
      originBytes: asked.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0),
      viewedBytes: measured.bytes,
      failedSessions: measured.failedSessions,
      seconds: rounded(measured.seconds),
      mbps: rounded(measured.mbps),
      ...{ cores: rounded(cores), mebibytes, machineCores: availableParallelism() },
    };
  } finally {
    await edge.stop();
    await nginx.stop();
  }
}

/** @param {string} media */
function largestFilm(media) {
  const films = readdirSync(media).filter((name) => name.endsWith('.mp4'));
  const [largest] = films.sort((a, b) => statSync(join(media, b)).size - statSync(join(media, a)).size);
  if (largest === undefined) throw new UserError(`no film in ${media}`, 1);
  return largest;
}
