// @ts-check
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { say, UserError } from '../../tools/setup/process.mjs';
import { ensureQuicheProbe, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { prepareVideo } from '../../tools/start/prepare.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { hasNginx, NGINX_MISSING, startNginx } from '../../test/browser/support/nginx.js';
import { liveThroughEdges } from './edge/live.mjs';
import { probeServer, UNLIMITED } from './server/probe.mjs';
import { cpuSeconds, residentBytes, rounded } from './server/process-figures.mjs';
import { atMost, barLine } from '../sim/report/bar.js';

export const usage = `npm run bench -- edge [--viewers 200] [--live-viewers 50] [--json]: native clients that all get the same film at once from
voxel-quiche in front of a plain nginx, with an empty cache. Counts at nginx what was fetched, and takes the edge's time and memory. Then clients
that follow one live stream of 2 Mbit/s: from the server beside the encoder, from an edge in front of nginx, and from one in front of that server;
two minutes. --json: one object on standard output. Exit code 1 where an origin sends more bytes than its files have, a session fails, or an edge
adds more than 100 ms.`;

export const options = /** @type {const} */ ({
  viewers: { type: 'string', default: '200' },
  'live-viewers': { type: 'string', default: '50' },
  json: { type: 'boolean', default: false },
});

/** A representation of the sample of a few megabytes: the clients run on the same machine. */
const FILM = { video: undefined, duration: 24, representations: '144p,240p:0.37' };

const MOST_ADDED_MS = 100;

/** @param {{ viewers: string, 'live-viewers': string, json: boolean }} values @returns {Promise<import('../sim/report/bar.js').Bar[]>} */
export async function main({ viewers, 'live-viewers': liveViewers, json }) {
  if (!hasNginx()) throw new UserError(NGINX_MISSING, 1);
  for (const [name, value] of Object.entries({ viewers, 'live-viewers': liveViewers }))
    if (!/^[1-9]\d*$/.test(value)) throw new UserError(`--${name} must be a positive integer, got '${value}'`);
  const program = await ensureQuicheServer();
  const probe = await ensureQuicheProbe();
  const media = await prepareVideo(FILM);
  const folder = mkdtempSync(join(tmpdir(), 'bench-edge-'));
  try {
    say(`edge: ${viewers} viewers`);
    const film = await watch({ program, probe }, { media, folder }, viewers);
    const live = await liveThroughEdges({ program, probe }, folder, Number(liveViewers));
    const bars = [
      atMost('bytes from the origin by those of the film', film.originBytes / film.filmBytes, 1),
      atMost('requests to the origin by blocks of the film', film.originRequests / film.blocks, 1),
      atMost('failed sessions', film.failedSessions, 0),
      ...liveBars(live, 'polled'),
      ...liveBars(live, 'streamed'),
    ];
    const lines = Object.entries({ film, ...live }).map(([name, figures]) => `${name}: ${JSON.stringify(figures)}`);
    console.log(json ? JSON.stringify({ film, live }) : [...lines, ...bars.map(barLine)].join('\n'));
    return bars;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {Awaited<ReturnType<typeof liveThroughEdges>>} live @param {'polled' | 'streamed'} kind of origin */
function liveBars(live, kind) {
  const { wholeMsP50, wholeMsP95, originBytes, fileBytes, failedSessions } = live[kind];
  return [
    atMost(
      `live, ${kind}: bytes from the origin by those of the files`,
      (originBytes ?? Infinity) / (fileBytes ?? 1),
      1,
    ),
    atMost(`live, ${kind}: latency that the edge adds, ms, p50`, wholeMsP50 - live.direct.wholeMsP50, MOST_ADDED_MS),
    atMost(`live, ${kind}: latency that the edge adds, ms, p95`, wholeMsP95 - live.direct.wholeMsP95, MOST_ADDED_MS),
    atMost(`live, ${kind}: failed sessions`, failedSessions, 0),
  ];
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
