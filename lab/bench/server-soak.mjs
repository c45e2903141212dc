// @ts-check
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { choiceOption, numberOption } from '../../tools/setup/command-line.mjs';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { say } from '../../tools/setup/process.mjs';
import { ensureQuicheProbe, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { probeServer, UNLIMITED } from './server/probe.mjs';
import { median, residentBytes, rounded } from './server/process-figures.mjs';

export const usage = `npm run bench -- server-soak [--json] [--minutes N] [--server aioquic|quiche]: sessions that vanish, stall, reset, send
garbage or are silent, for N minutes (10) on each server: whether it lives, its memory and sessions of each minute, how
its memory has grown since the third, and what the other sessions get of the rate that they have alone. --json: one
object on standard output.`;

export const options = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  minutes: { type: 'string', default: '10' },
  server: { type: 'string' },
});

/** What each session that behaves fetches: ten of them are 8 Mbit/s. */
const SEGMENT = { bytes: 100_000, intervalMs: 1000 };
const SESSIONS = 10;
const ALONE_SECONDS = 60;
const SAMPLE_MS = 1000;

const PER_MINUTE = 60_000 / SAMPLE_MS;

/** Until the server has as many of the sessions that are gone as it will have: they live until their idle time ends. */
const WARM_UP_MINUTES = 3;

/** @param {{ json: boolean, minutes: string, server?: string }} values @returns {Promise<void>} */
export async function main({ json, minutes, server }) {
  numberOption('minutes', minutes, { low: 0.1, high: 100_000 });
  choiceOption('server', server, ['aioquic', 'quiche']);
  const programs = { aioquic: venvProgram('voxel-serve'), quiche: await ensureQuicheServer() };
  const probe = await ensureQuicheProbe();
  const folder = mkdtempSync(join(tmpdir(), 'server-soak-'));
  try {
    writeFileSync(join(folder, 'segment.bin'), Buffer.alloc(SEGMENT.bytes));
    /** @type {Record<string, object>} */
    const result = {};
    for (const [name, program] of Object.entries(programs)) {
      if (server !== undefined && server !== name) continue;
      say(`server-soak: ${name}, ${minutes} minutes`);
      result[name] = await soak(program, probe, folder, 60 * Number(minutes));
    }
    if (json) console.log(JSON.stringify(result));
    else for (const [name, value] of Object.entries(result)) console.log(name, value);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} program @param {string} probe @param {string} folder @param {number} seconds */
async function soak(program, probe, folder, seconds) {
  const server = await startServer([folder, '--http-port', '0', '--quic-port', '0', ...UNLIMITED], program);
  const others = (/** @type {number} */ duration) => {
    const schedule = ['--requests', String(duration), '--interval', String(SEGMENT.intervalMs)];
    const options = ['--target', '/segment.bin', '--unreliable', '--sessions', String(SESSIONS), ...schedule];
    return probeServer(probe, server.ready, options);
  };
  /** @type {{ bytes: number, sessions: number }[]} */
  const samples = [];
  const sample = async () =>
    samples.push({ bytes: residentBytes(server.pid), sessions: await openSessions(server.ready) });
  try {
    const alone = await others(ALONE_SECONDS);
    const sampling = setInterval(() => void sample().catch(() => say('server-soak: a sample is missing')), SAMPLE_MS);
    const words = ['-m', 'conformance.misbehave', String(server.ready.quicPort), String(seconds)];
    const [measurement, { stdout }] = await Promise.all([
      others(seconds),
      promisify(execFile)(venvProgram('python'), words, { cwd: join(root, 'server') }),
    ]).finally(() => clearInterval(sampling));
    const byMinute = (/** @type {'bytes' | 'sessions'} */ what) =>
      Array.from({ length: Math.ceil(samples.length / PER_MINUTE) }, (_, minute) =>
        median(samples.slice(minute * PER_MINUTE, (minute + 1) * PER_MINUTE).map((one) => one[what])),
      );
    const bytes = byMinute('bytes');
    return {
      misbehaved: /** @type {unknown} */ (JSON.parse(stdout)),
      failedSessions: measurement.failedSessions,
      rateOverAlone: rounded(measurement.mbps / alone.mbps),
      firstByteMsP99: rounded(measurement.firstByteMsP99),
      firstByteMsP99Alone: rounded(alone.firstByteMsP99),
      sessionsByMinute: byMinute('sessions'),
      mebibytesByMinute: bytes.map((value) => Math.round(value / 2 ** 20)),
      grownSinceWarmUp: rounded(Number(bytes.at(-1)) / (bytes[WARM_UP_MINUTES - 1] ?? NaN) - 1),
    };
  } finally {
    await server.stop();
  }
}

/** Sessions as the server counts them. @param {import('../../tools/start/server.mjs').Ready} ready */
async function openSessions({ metrics }) {
  if (metrics === null) throw new Error('the server has no counters');
  const text = await (await fetch(metrics)).text();
  return Number(/^voxel_sessions (\d+)/m.exec(text)?.[1]);
}
