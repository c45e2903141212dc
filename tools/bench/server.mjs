// @ts-check
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { venvProgram } from '../setup/paths.mjs';
import { say, UserError } from '../setup/process.mjs';
import { ensureLinkEmulator, ensureQuicheProbe, ensureQuicheServer } from '../setup/rust.mjs';
import { startServer } from '../start/server.mjs';

const USAGE = `npm run bench -- server [--json] [--quick]: both servers side by side: how fast they send streams and
datagrams to a native client on this machine and what a gigabyte costs them, their share of a core at 40 Mbit/s, and how
long 1 MB takes on a link of 10 Mbit/s while datagrams flood it; about three minutes. --json: one object on standard
output. --quick: one repetition.`;

/** Repetitions, in turn between the servers; the median counts. */
const REPETITIONS = 3;

/** Bytes of one throughput measurement, so that each takes some seconds. */
const BODY_BYTES = 50_000_000;
const REQUESTS = { aioquic: 1, quiche: 10 };

/** A megabyte five times a second is 40 Mbit/s. */
const STEADY = { bytes: 1_000_000, requests: 25, intervalMs: 200 };

const LINK = { mbps: 10, delayMs: 15, packets: 60 };
const LINK_ADDRESS = '10.77.0.1';

/** The median of them begins when the flood has filled the link. */
const MEGABYTES = ['--target', '/megabyte.bin', '--requests', '3'];

/** Kernel ticks per second in /proc/PID/stat: 100 on every Linux that people use (`getconf CLK_TCK`). */
const TICKS = 100;

/**
 * @typedef {'aioquic' | 'quiche'} Name
 * @typedef {{ mbps: number, seconds: number, bytes: number, wholeMsP50: number, cpuSeconds: number }} Measurement
 */

/** @param {string[]} args @returns {Promise<void>} */
export async function main(args) {
  const { json, quick } = parse(args);
  const repetitions = quick ? 1 : REPETITIONS;
  /** @type {Record<Name, string>} */
  const programs = { aioquic: venvProgram('voxel-serve'), quiche: await ensureQuicheServer() };
  const probe = await ensureQuicheProbe();
  const { linkemu } = await ensureLinkEmulator();
  const folder = mkdtempSync(join(tmpdir(), 'server-bench-'));
  try {
    writeFileSync(join(folder, 'large.bin'), Buffer.alloc(BODY_BYTES));
    writeFileSync(join(folder, 'megabyte.bin'), Buffer.alloc(STEADY.bytes));
    /** @type {Record<Name, Awaited<ReturnType<typeof ofServer>>[]>} */
    const runs = { aioquic: [], quiche: [] };
    for (let repetition = 1; repetition <= repetitions; repetition++) {
      for (const name of /** @type {const} */ (['aioquic', 'quiche'])) {
        say(`server: ${name}, ${repetition} of ${repetitions}`);
        const direct = await ofServer(folder, programs[name], probe, REQUESTS[name]);
        const link = await onLink(folder, programs[name], probe, linkemu);
        runs[name].push({ ...direct, ...link });
      }
    }
    const result = { ...summary(runs), repetitions, cores: availableParallelism() };
    if (json) console.log(JSON.stringify(result));
    else for (const [name, value] of Object.entries(result)) console.log(`${name}: ${JSON.stringify(value)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string[]} args */
function parse(args) {
  try {
    const flag = /** @type {const} */ ({ type: 'boolean', default: false });
    return parseArgs({ args, options: { json: flag, quick: flag } }).values;
  } catch (error) {
    throw new UserError(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

/** @param {string} folder @param {string} program @param {string} probe @param {number} requests */
async function ofServer(folder, program, probe, requests) {
  const server = await startServer([folder, '--http-port', '0', '--quic-port', '0'], program);
  const { endpoint, certificateHashes } = server.ready;
  /** @param {string[]} options @returns {Promise<Measurement>} */
  const measure = async (...options) => {
    const before = cpuSeconds(server.pid);
    const words = [endpoint, '--hash', certificateHashes[0] ?? '', ...options];
    const { stdout } = await promisify(execFile)(probe, words);
    return { ...JSON.parse(stdout), cpuSeconds: cpuSeconds(server.pid) - before };
  };
  try {
    const large = ['--target', '/large.bin', '--requests', String(requests)];
    const [streams, datagrams] = [await measure(...large), await measure(...large, '--unreliable')];
    const { requests: count, intervalMs } = STEADY;
    const steady = ['--requests', String(count), '--interval', String(intervalMs)];
    const at40 = await measure('--target', '/megabyte.bin', '--unreliable', ...steady);
    const sent = requests * BODY_BYTES;
    return {
      streamMbps: streams.mbps,
      datagramMbps: datagrams.mbps,
      streamCpuSecondsPerGb: (1e9 * streams.cpuSeconds) / sent,
      datagramCpuSecondsPerGb: (1e9 * datagrams.cpuSeconds) / sent,
      cpuAt40Mbps: at40.cpuSeconds / at40.seconds,
    };
  } finally {
    await server.stop();
  }
}

/**
 * 1 MB reliably, alone and while datagrams flood the link.
 * @param {string} folder @param {string} program @param {string} probe @param {string} linkemu
 */
async function onLink(folder, program, probe, linkemu) {
  const direction = { trace: { mbps: LINK.mbps }, delayMs: LINK.delayMs };
  const queue = { discipline: 'drop-tail', limit: { packets: LINK.packets } };
  const link = join(folder, 'link.json');
  const path = { down: { ...direction, queue }, up: { ...direction, queue } };
  writeFileSync(link, JSON.stringify({ seed: 1, paths: [path] }));
  /** @param {string[]} options @returns {Promise<number>} milliseconds */
  const time = async (...options) => {
    const ready = join(folder, 'ready.json');
    rmSync(ready, { force: true });
    const serve = [program, folder, '--host', LINK_ADDRESS, '--insecure', '--http-port', '8080', '--quic-port', '4433'];
    const server = ['sh', '-c', 'out="$0"; exec "$@" > "$out"', ready, ...serve];
    const script =
      'until [ -s "$0" ]; do sleep 0.1; done; hash="$(grep -o "[A-Za-z0-9+/]\\{43\\}=" "$0")"; exec "$@" --hash "$hash"';
    const request = [probe, `https://${LINK_ADDRESS}:4433/voxel`, ...MEGABYTES, ...options];
    const words = ['run', link, '--', ...server, '---', 'sh', '-c', script, ready, ...request];
    const { stdout } = await promisify(execFile)(linkemu, words);
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').wholeMsP50;
  };
  const alone = await time();
  return { megabyteAloneMs: alone, megabyteFloodedMs: await time('--flood', '/large.bin') };
}

/** Of user and system. @param {number} pid */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** @param {Record<Name, Record<string, number>[]>} runs */
function summary(runs) {
  const medians = (/** @type {Name} */ name) =>
    Object.fromEntries(
      Object.keys(runs[name][0] ?? {}).map((key) => [key, rounded(median(runs[name].map((run) => run[key] ?? NaN)))]),
    );
  const ratio = (/** @type {(index: number) => number} */ of) =>
    rounded(median(runs.quiche.map((_, index) => of(index))));
  const figure = (/** @type {Name} */ name, /** @type {string} */ key) => (/** @type {number} */ index) =>
    runs[name][index]?.[key] ?? NaN;
  const cost = 'datagramCpuSecondsPerGb';
  return {
    // Per core: how many bytes a second of processor time sends.
    quicheOverAioquic: ratio((index) => figure('aioquic', cost)(index) / figure('quiche', cost)(index)),
    datagramOverStream: ratio(
      (index) => figure('quiche', 'streamCpuSecondsPerGb')(index) / figure('quiche', cost)(index),
    ),
    floodedOverAlone: Object.fromEntries(
      /** @type {const} */ (['aioquic', 'quiche']).map((name) => [
        name,
        ratio((index) => figure(name, 'megabyteFloodedMs')(index) / figure(name, 'megabyteAloneMs')(index)),
      ]),
    ),
    aioquic: medians('aioquic'),
    quiche: medians('quiche'),
  };
}

/** @param {number} value */
const rounded = (value) => Number(value.toFixed(3));

/** @param {number[]} values @returns {number} */
const median = (values) => /** @type {number} */ ([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]);
