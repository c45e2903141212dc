// @ts-check
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { say } from '../../tools/setup/process.mjs';
import { ensureQuicheProbe, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { beside } from './live-viewers/fairness.mjs';
import { newestSegment, record, startLive } from './live-viewers/replay.mjs';
import { UNLIMITED, viewServer } from './server/probe.mjs';
import { cpuSeconds, residentBytes, rounded } from './server/process-figures.mjs';
import { atMost, barLine } from '../sim/report/bar.js';

export const usage = `npm run bench -- live-viewers [--json] [--beside CONTROL]: native clients that all follow one live stream of 2 Mbit/s with
x-voxel-follow, a recording of voxel-live that is replayed. 50 of them on voxel-quiche: its share of a core and its memory, from before they
connect until they leave; on voxel-serve how many it can have while all but 1 % of the chunks are whole at most 920 ms after their capture (1 s
of latency less 80 ms); about two minutes. --json: one object on standard output. Exit code 1 where voxel-quiche takes more than 30 % of a
core or 100 MiB, or is late.
--beside delay, ordinary (voxel-quiche's --live-control): instead one viewer beside one and four TCP downloads of CUBIC and BBR on 4 Mbit/s, 60 ms,
with a queue of 100 packets and with FQ-CoDel; what each has of the link; four minutes. Exit code 1 where somebody has less than half of an equal
share.`;

export const options = /** @type {const} */ ({ json: { type: 'boolean', default: false }, beside: { type: 'string' } });

const RECORDED_SECONDS = 20;
const SEGMENTS = { quiche: 15, aioquic: 8 };
const VIEWERS = 50;
const LADDER = [5, 10, 15, 20, 25, 30, 40, 50];

const MOST_CORES = 0.3;
const MOST_MEBIBYTES = 100;
const MOST_LATE_SHARE = 0.01;

const SAMPLE_MS = 250;

/** @typedef {{ viewers: number, mbps: number, lateShare: number, wholeMsP50: number | null, wholeMsP95: number | null, cores: number, mebibytes: number,
 *   failedSessions: number }} Figures */

/** @param {{ json: boolean, beside?: string }} values @returns {Promise<import('../sim/report/bar.js').Bar[]>} */
export async function main({ json, beside: control }) {
  const quiche = await ensureQuicheServer();
  const probe = await ensureQuicheProbe();
  const folder = mkdtempSync(join(tmpdir(), 'live-viewers-'));
  try {
    if (control !== undefined) return await beside({ quiche, probe, folder }, control, json);
    const recording = join(folder, 'recording');
    say('live-viewers: recording');
    await record(recording, RECORDED_SECONDS);
    say(`live-viewers: voxel-quiche, ${VIEWERS} viewers`);
    const held = await watch(quiche, { probe, recording, folder }, VIEWERS, SEGMENTS.quiche);
    /** @type {Figures[]} */
    const ladder = [];
    for (const viewers of LADDER) {
      say(`live-viewers: voxel-serve, ${viewers} viewers`);
      const figures = await watch(venvProgram('voxel-serve'), { probe, recording, folder }, viewers, SEGMENTS.aioquic);
      ladder.push(figures);
      if (!isHeld(figures)) break;
    }
    const aioquicHolds = ladder.findLast(isHeld)?.viewers ?? 0;
    const bars = [
      atMost(`voxel-quiche, ${VIEWERS} viewers: cores`, held.cores, MOST_CORES),
      atMost(`voxel-quiche, ${VIEWERS} viewers: MiB`, held.mebibytes, MOST_MEBIBYTES),
      atMost(`voxel-quiche, ${VIEWERS} viewers: share of late chunks`, held.lateShare, MOST_LATE_SHARE),
      atMost(`voxel-quiche, ${VIEWERS} viewers: failed sessions`, held.failedSessions, 0),
    ];
    const result = { quiche: held, aioquic: ladder, aioquicHolds, cores: availableParallelism() };
    console.log(
      json
        ? JSON.stringify(result)
        : [
            ...[held, ...ladder].map((one) => JSON.stringify(one)),
            `voxel-serve holds ${aioquicHolds} viewers`,
            ...bars.map(barLine),
          ].join('\n'),
    );
    return bars;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {Figures} figures */
const isHeld = ({ lateShare, failedSessions }) => lateShare <= MOST_LATE_SHARE && failedSessions === 0;

/**
 * So many viewers of a replay.
 * @param {string} program @param {{ probe: string, recording: string, folder: string }} tools
 * @param {number} viewers @param {number} segments that each follows @returns {Promise<Figures>}
 */
async function watch(program, { probe, recording, folder }, viewers, segments) {
  const site = mkdtempSync(join(folder, 'site-'));
  const server = await startServer([site, '--http-port', '0', '--quic-port', '0', ...UNLIMITED], program);
  const replay = startLive(recording, ['--out', site, '--replay']);
  let mostBytes = 0;
  const sampling = setInterval(() => (mostBytes = Math.max(mostBytes, residentBytes(server.pid))), SAMPLE_MS);
  try {
    const { track, number } = await newestSegment(site);
    const before = cpuSeconds(server.pid);
    const target = ['--target', `/${track}/$Number$.m4s`, '--follow', String(number)];
    const count = ['--sessions', String(viewers), '--requests', String(segments)];
    const measurement = await viewServer(probe, server.ready, [...target, ...count]);
    const { mbps, lateShare, wholeMsP50, wholeMsP95, seconds, failedSessions } = measurement;
    return {
      viewers,
      mbps: rounded(mbps),
      lateShare: rounded(lateShare),
      wholeMsP50: wholeMsP50 && Math.round(wholeMsP50),
      wholeMsP95: wholeMsP95 && Math.round(wholeMsP95),
      cores: rounded((cpuSeconds(server.pid) - before) / seconds),
      mebibytes: Math.round(mostBytes / 2 ** 20),
      failedSessions,
    };
  } finally {
    clearInterval(sampling);
    await replay.stop();
    await server.stop();
  }
}
