// @ts-check
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { say } from '../../tools/setup/process.mjs';
import { ensureLinkEmulator, ensureQuicheProbe, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { download, ensurePlainHttp3, plainDownload } from './server/plain-http3.mjs';
import { probeOnLink, probeServer } from './server/probe.mjs';
import { cpuSeconds, median, rounded } from './server/process-figures.mjs';

export const usage = `npm run bench -- server [--json] [--quick]: both servers side by side, and a plain HTTP/3 server beside them: how
fast they send streams and datagrams to a native client on this machine and what a gigabyte costs them, their share of a
core at 40 Mbit/s, how long 1 MB takes on a link of 10 Mbit/s while datagrams flood it, and what they lose of segments in
a short queue; about six minutes. --json: one object on standard output. --quick: one repetition.`;

export const options = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
});

/** Repetitions, in turn between the servers; the median counts. */
const REPETITIONS = 3;

/** Bytes of one throughput measurement, so that each takes some seconds. */
const BODY_BYTES = 50_000_000;
const REQUESTS = { aioquic: 1, quiche: 10, plain: 10 };

/** A megabyte five times a second is 40 Mbit/s. */
const STEADY = { bytes: 1_000_000, requests: 25, intervalMs: 200 };

const FLOODED_LINK = { mbps: 10, packets: 60 };

/** The median of them begins when the flood has filled the link. */
const MEGABYTES = ['--target', '/megabyte.bin', '--requests', '3'];

/** The trials' queue (docs/TRIALS.md), and segments with pauses between them, as a player with a full buffer asks for. */
const QUEUE_PACKETS = 32;
const SEGMENTS = [
  { mbps: 2, bytes: 100_000, requests: 12, intervalMs: 1000 },
  { mbps: 2, bytes: 500_000, requests: 4, intervalMs: 4000 },
  { mbps: 4.3, bytes: 500_000, requests: 6, intervalMs: 3000 },
  { mbps: 10, bytes: 300_000, requests: 12, intervalMs: 1000 },
  { mbps: 10, bytes: 1_000_000, requests: 6, intervalMs: 3000 },
];

/** @typedef {'aioquic' | 'quiche'} Name */

/**
 * What the measurements need.
 * @typedef {{ probe: string, linkemu: string, http3: string | undefined, folder: string }} Tools
 */

/** @param {{ json: boolean, quick: boolean }} values @returns {Promise<void>} */
export async function main({ json, quick }) {
  const repetitions = quick ? 1 : REPETITIONS;
  /** @type {Record<Name, string>} */
  const programs = { aioquic: venvProgram('voxel-serve'), quiche: await ensureQuicheServer() };
  const { linkemu } = await ensureLinkEmulator();
  const folder = mkdtempSync(join(tmpdir(), 'server-bench-'));
  const tools = { probe: await ensureQuicheProbe(), linkemu, http3: await ensurePlainHttp3(), folder };
  try {
    writeFileSync(join(folder, 'large.bin'), Buffer.alloc(BODY_BYTES));
    writeFileSync(join(folder, 'megabyte.bin'), Buffer.alloc(STEADY.bytes));
    for (const { bytes } of SEGMENTS) writeFileSync(join(folder, `${bytes}.bin`), Buffer.alloc(bytes));
    /** @type {Record<Name | 'plain', Record<string, number>[]>} */
    const runs = { aioquic: [], quiche: [], plain: [] };
    for (let repetition = 1; repetition <= repetitions; repetition++) {
      for (const name of /** @type {const} */ (['aioquic', 'quiche'])) {
        say(`server: ${name}, ${repetition} of ${repetitions}`);
        const direct = await onLoopback(tools, programs[name], REQUESTS[name]);
        const flooded = await onFloodedLink(tools, programs[name]);
        runs[name].push({ ...direct, ...flooded, ...(await inShortQueues(tools, programs[name])) });
      }
      if (tools.http3) runs.plain.push(await plainDownload(tools.http3, folder, '/large.bin', REQUESTS.plain));
    }
    const result = { ...summary(runs), repetitions, cores: availableParallelism() };
    if (json) console.log(JSON.stringify(result));
    else for (const [name, value] of Object.entries(result)) console.log(`${name}: ${JSON.stringify(value)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {Tools} tools @param {string} program @param {number} requests */
async function onLoopback({ probe, http3, folder }, program, requests) {
  const server = await startServer([folder, '--http-port', '0', '--quic-port', '0'], program);
  /** @param {string[]} options */
  const measure = async (...options) => {
    const before = cpuSeconds(server.pid);
    const measurement = await probeServer(probe, server.ready, options);
    return { ...measurement, cpuSeconds: cpuSeconds(server.pid) - before };
  };
  try {
    const large = ['--target', '/large.bin', '--requests', String(requests)];
    const [streams, datagrams] = [await measure(...large), await measure(...large, '--unreliable')];
    const steady = ['--requests', String(STEADY.requests), '--interval', String(STEADY.intervalMs)];
    const at40 = await measure('--target', '/megabyte.bin', '--unreliable', ...steady);
    const sent = requests * BODY_BYTES;
    return {
      streamMbps: streams.mbps,
      datagramMbps: datagrams.mbps,
      streamCpuSecondsPerGb: (1e9 * streams.cpuSeconds) / sent,
      datagramCpuSecondsPerGb: (1e9 * datagrams.cpuSeconds) / sent,
      cpuAt40Mbps: at40.cpuSeconds / at40.seconds,
      ...(http3 && (await download(http3, { pid: server.pid, port: server.ready.quicPort }, '/large.bin', requests))),
    };
  } finally {
    await server.stop();
  }
}

/** 1 MB reliably, alone and while datagrams flood the link. @param {Tools} tools @param {string} program */
async function onFloodedLink(tools, program) {
  const time = async (/** @type {string[]} */ ...options) =>
    (await probeOnLink({ ...tools, program }, tools.folder, FLOODED_LINK, [...MEGABYTES, ...options])).wholeMsP50;
  return { megabyteAloneMs: await time(), megabyteFloodedMs: await time('--flood', '/large.bin') };
}

/** Segments as datagrams, with pauses, on links side by side. @param {Tools} tools @param {string} program */
async function inShortQueues(tools, program) {
  const measurements = await Promise.all(
    SEGMENTS.map(({ mbps, bytes, requests, intervalMs }) => {
      const target = ['--target', `/${bytes}.bin`, '--unreliable'];
      const options = [...target, '--requests', String(requests), '--interval', String(intervalMs)];
      return probeOnLink({ ...tools, program }, tools.folder, { mbps, packets: QUEUE_PACKETS }, options);
    }),
  );
  const used = measurements.map(({ wholeMsP50 }, index) => {
    const segment = /** @type {typeof SEGMENTS[number]} */ (SEGMENTS[index]);
    return (8e-3 * segment.bytes) / wholeMsP50 / segment.mbps;
  });
  return {
    lostShare: mean(measurements.map((measurement) => measurement.lostShare)),
    lostShareOfWorstSegment: Math.max(...measurements.map((measurement) => measurement.lostShareMax)),
    linkUsed: mean(used),
  };
}

/** @param {Record<Name | 'plain', Record<string, number>[]>} runs */
function summary(runs) {
  const medians = (/** @type {Name | 'plain'} */ name) =>
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
    plainHttp3: medians('plain'),
  };
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
