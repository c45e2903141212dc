// @ts-check
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { say } from '../../tools/setup/process.mjs';
import { ensureQuicheProbe, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { probeServer, UNLIMITED } from './server/probe.mjs';
import { cpuSeconds, openDescriptors, residentBytes, rounded } from './server/process-figures.mjs';

export const usage = `npm run bench -- server-load [--json] [--quick]: many sessions at a time on each server, which fetch a segment of 100 kB
every four seconds, most at the same moment; which of them fail, how long the first byte takes, and what a session costs: memory, file
descriptors, its share of a core, and how many sessions of this kind a core would carry at that price; about four minutes. --json: one object on
standard output. --quick: fewer sessions and half the time, about one minute.`;

export const options = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
});

/** 500 sessions with 100 kB every 4 s are 100 Mbit/s. */
const SEGMENT = { bytes: 100_000, intervalMs: 4000, requests: 10 };
const SESSIONS = { quiche: [500], aioquic: [50, 100, 200] };
const QUICK_SESSIONS = { quiche: [100], aioquic: [25] };
const QUICK_REQUESTS = 5;
const SAMPLE_MS = 250;

/** @param {{ json: boolean, quick: boolean }} values @returns {Promise<void>} */
export async function main({ json, quick }) {
  const counts = quick ? QUICK_SESSIONS : SESSIONS;
  const requests = quick ? QUICK_REQUESTS : SEGMENT.requests;
  const programs = { quiche: await ensureQuicheServer(), aioquic: venvProgram('voxel-serve') };
  const probe = await ensureQuicheProbe();
  const folder = mkdtempSync(join(tmpdir(), 'server-load-'));
  try {
    writeFileSync(join(folder, 'segment.bin'), Buffer.alloc(SEGMENT.bytes));
    /** @type {Record<string, object[]>} */
    const result = { quiche: [], aioquic: [] };
    for (const name of /** @type {const} */ (['quiche', 'aioquic'])) {
      for (const sessions of counts[name]) {
        say(`server-load: ${name}, ${sessions} sessions`);
        result[name]?.push(await load(programs[name], { probe, folder }, sessions, requests));
      }
    }
    const [oneMinute] = loadavg();
    const machine = { cores: availableParallelism(), loadAverage: rounded(oneMinute ?? NaN) };
    const whole = { ...result, segment: { ...SEGMENT, requests }, ...machine };
    if (json) console.log(JSON.stringify(whole));
    else {
      for (const name of ['quiche', 'aioquic']) for (const line of result[name] ?? []) console.log(name, line);
      console.log(machine);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * What sessions cost from before they open until they are closed.
 * @param {string} program @param {{ probe: string, folder: string }} tools @param {number} sessions @param {number} requests of each
 */
async function load(program, { probe, folder }, sessions, requests) {
  const server = await startServer([folder, '--http-port', '0', '--quic-port', '0', ...UNLIMITED], program);
  const before = { bytes: residentBytes(server.pid), cpu: cpuSeconds(server.pid) };
  const most = { bytes: before.bytes, descriptors: openDescriptors(server.pid) };
  const sampling = setInterval(() => {
    most.bytes = Math.max(most.bytes, residentBytes(server.pid));
    most.descriptors = Math.max(most.descriptors, openDescriptors(server.pid));
  }, SAMPLE_MS);
  try {
    const { intervalMs } = SEGMENT;
    const schedule = ['--requests', String(requests), '--interval', String(intervalMs)];
    const options = ['--target', '/segment.bin', '--unreliable', '--sessions', String(sessions), ...schedule];
    const measurement = await probeServer(probe, server.ready, options);
    // A busy machine takes longer for the same work: the price counts, not the time that it took.
    const coresOfOne = (cpuSeconds(server.pid) - before.cpu) / sessions / ((requests * intervalMs) / 1000);
    return {
      sessions,
      failedSessions: measurement.failedSessions,
      mbps: rounded(measurement.mbps),
      lostShare: rounded(measurement.lostShare),
      firstByteMsP50: rounded(measurement.firstByteMsP50),
      firstByteMsP99: rounded(measurement.firstByteMsP99),
      kibibytesPerSession: Math.round((most.bytes - before.bytes) / 1024 / sessions),
      mostDescriptors: most.descriptors,
      millicoresPerSession: rounded(1000 * coresOfOne),
      sessionsPerCore: Math.floor(1 / coresOfOne),
    };
  } finally {
    clearInterval(sampling);
    await server.stop();
  }
}
