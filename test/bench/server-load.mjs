// @ts-check
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { say } from '../../tools/setup/process.mjs';
import { ensureQuicheProbe, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { probeServer, UNLIMITED } from './server/probe.mjs';
import { residentBytes, rounded } from './server/process-figures.mjs';

export const usage = `npm run bench -- server-load [--json]: many sessions at a time on each server, which fetch a segment of 100 kB every
four seconds, most at the same moment; which of them fail, how long the first byte takes, and the memory of a session;
about four minutes. --json: one object on standard output.`;

export const options = /** @type {const} */ ({ json: { type: 'boolean', default: false } });

/** 500 sessions with 100 kB every 4 s are 100 Mbit/s. */
const SEGMENT = { bytes: 100_000, intervalMs: 4000, requests: 10 };
const SESSIONS = { quiche: [500], aioquic: [50, 100, 200] };
const SAMPLE_MS = 250;

/** @param {{ json: boolean }} values @returns {Promise<void>} */
export async function main({ json }) {
  const programs = { quiche: await ensureQuicheServer(), aioquic: venvProgram('voxel-serve') };
  const probe = await ensureQuicheProbe();
  const folder = mkdtempSync(join(tmpdir(), 'server-load-'));
  try {
    writeFileSync(join(folder, 'segment.bin'), Buffer.alloc(SEGMENT.bytes));
    /** @type {Record<string, object[]>} */
    const result = { quiche: [], aioquic: [] };
    for (const name of /** @type {const} */ (['quiche', 'aioquic'])) {
      for (const sessions of SESSIONS[name]) {
        say(`server-load: ${name}, ${sessions} sessions`);
        result[name]?.push(await load(programs[name], probe, folder, sessions));
      }
    }
    const whole = { ...result, segment: SEGMENT, cores: availableParallelism() };
    if (json) console.log(JSON.stringify(whole));
    else for (const name of ['quiche', 'aioquic']) for (const line of result[name] ?? []) console.log(name, line);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} program @param {string} probe @param {string} folder @param {number} sessions */
async function load(program, probe, folder, sessions) {
  const server = await startServer([folder, '--http-port', '0', '--quic-port', '0', ...UNLIMITED], program);
  const before = residentBytes(server.pid);
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, residentBytes(server.pid))), SAMPLE_MS);
  try {
    const { requests, intervalMs } = SEGMENT;
    const schedule = ['--requests', String(requests), '--interval', String(intervalMs)];
    const options = ['--target', '/segment.bin', '--unreliable', '--sessions', String(sessions), ...schedule];
    const measurement = await probeServer(probe, server.ready, options);
    return {
      sessions,
      failedSessions: measurement.failedSessions,
      mbps: rounded(measurement.mbps),
      lostShare: rounded(measurement.lostShare),
      firstByteMsP50: rounded(measurement.firstByteMsP50),
      firstByteMsP99: rounded(measurement.firstByteMsP99),
      kibibytesPerSession: Math.round((most - before) / 1024 / sessions),
    };
  } finally {
    clearInterval(sampling);
    await server.stop();
  }
}
