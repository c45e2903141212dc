// @ts-check
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { outputOf, say } from '../../tools/setup/process.mjs';
import { ensureLinkEmulator } from '../../tools/setup/rust.mjs';

export const usage = `npm run bench -- link [--json]: what the link emulator makes of a trace, how much jitter it adds, and its
losses, measured between two networks on this machine; about two minutes. --json: one object on standard output.`;

export const options = /** @type {const} */ ({ json: { type: 'boolean', default: false } });

/** Repetitions of each measurement; the median counts. */
const REPETITIONS = 3;

const DELAY_MS = 15;

/** Where it is allowed the probes go before other programs, or their waiting would be measured as the link's. */
const PROMPT = ['chrt', '--fifo', '5'];

/** So many that a sender that does not get the processor for a moment leaves no gap on the link. */
const QUEUE_PACKETS = 2000;

/** Mbit/s for a second each: ups and downs as on a cellular link. */
const TRACE_MBPS = [2, 12, 25, 6, 1, 30, 9, 17, 4, 20];

/** Small packets, so that a second at 1 Mbit/s is more than 200 of them. */
const TRACE_PACKET_BYTES = 528;

const JITTER_PACKET_BYTES = 1228;
const JITTER_SECONDS = 4;

const LOSS = { percent: 5, packets: 10_000, bytes: 228, mbps: 8 };

/** 99.9 % of all seeds lie within so many standard deviations. */
const BINOMIAL_DEVIATIONS = 3.29;

/**
 * @typedef {{ sequence: number, sentMs: number, arrivedMs: number }} Arrival times count from the link's first packet
 * @typedef {{ arrivals: Arrival[], lateMs: number }} Measurement
 * @typedef {{ packets: number, bytes: number, mbps: number }} Flow
 * @typedef {(direction: object, flow: Flow, seed?: number) => Promise<Measurement>} Measure
 */

/** @param {{ json: boolean }} values @returns {Promise<void>} */
export async function main({ json }) {
  const programs = await ensureLinkEmulator();
  const folder = mkdtempSync(join(tmpdir(), 'link-bench-'));
  try {
    const measure = measureIn(folder, programs);
    const result = { ...(await trace(measure)), ...(await jitter(measure)), ...(await losses(measure)) };
    if (json) console.log(JSON.stringify(result));
    else for (const [name, value] of Object.entries(result)) console.log(`${name}: ${JSON.stringify(value)}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Sends a flow down a link and reads what came of it.
 * @param {string} folder @param {{ linkemu: string, probe: string }} programs @returns {Measure}
 */
function measureIn(folder, { linkemu, probe }) {
  const queue = { discipline: 'drop-tail', limit: { packets: QUEUE_PACKETS } };
  const prompt = outputOf('chrt', [...PROMPT.slice(1), 'true']) === undefined ? [] : PROMPT;
  const up = { trace: { mbps: 100 }, queue, delayMs: DELAY_MS };
  return async (direction, { packets, bytes, mbps }, seed = 1) => {
    const link = join(folder, 'link.json');
    const log = join(folder, 'log');
    writeFileSync(link, JSON.stringify({ seed, paths: [{ down: { queue, delayMs: DELAY_MS, ...direction }, up }] }));
    const address = '10.77.0.1:5000';
    const client = [...prompt, probe, 'measure', address, ...[packets, bytes, mbps].map(String)];
    const words = ['run', link, '--log', log, '--', ...prompt, probe, 'serve', address, '---', ...client];
    const { stdout } = await promisify(execFile)(linkemu, words, { maxBuffer: 1 << 28 });
    const [, ...lines] = stdout.trim().split('\n');
    const arrivals = lines.map((line) => {
      const [sequence = NaN, sent = NaN, arrived = NaN] = line.split(',').map(Number);
      return { sequence, sentMs: sent / 1e3, arrivedMs: arrived / 1e3 };
    });
    const summary = readFileSync(join(log, 'summary.json'), 'utf8');
    const { lateUsMax } = /** @type {{ lateUsMax: number }} */ (JSON.parse(summary));
    return { arrivals, lateMs: lateUsMax / 1e3 };
  };
}

/** Floods a traced link and compares what arrives in each second with the trace. @param {Measure} measure */
async function trace(measure) {
  const steps = TRACE_MBPS.map((mbps) => ({ seconds: 1, mbps }));
  const mbps = 1.2 * Math.max(...TRACE_MBPS);
  const seconds = TRACE_MBPS.length + 0.5;
  const flow = { packets: packetsOf(mbps, TRACE_PACKET_BYTES, seconds), bytes: TRACE_PACKET_BYTES, mbps };
  const runs = await repeat('trace', async () => {
    const { arrivals, lateMs } = await measure({ trace: { steps } }, flow);
    const bytesIn = (/** @type {number} */ second) =>
      TRACE_PACKET_BYTES *
      arrivals.filter(({ arrivedMs }) => Math.floor((arrivedMs - DELAY_MS) / 1e3) === second).length;
    // Without the first second, which begins before the flow does.
    const ratios = TRACE_MBPS.map((offered, second) => (8 * bytesIn(second)) / (offered * 1e6)).slice(1);
    return { ratios, worst: Math.max(...ratios.map((ratio) => Math.abs(ratio - 1))), lateMs };
  });
  return {
    achievedOverOfferedWorst: rounded(median(runs.map(({ worst }) => worst))),
    achievedOverOffered: runs.map(({ ratios }) => ratios.map(rounded)),
    traceLateMs: runs.map(({ lateMs }) => lateMs),
  };
}

/**
 * A steady flow at nine tenths of the rate: how much later than on a perfect link its packets come. A packet that the
 * sender sends late is late on the perfect link, too.
 * @param {Measure} measure
 */
async function jitter(measure) {
  /** @type {Record<string, number>} */
  const figures = {};
  for (const mbps of [10, 40]) {
    const packetMs = (8 * JITTER_PACKET_BYTES) / (mbps * 1e3);
    const flow = { packets: packetsOf(0.9 * mbps, JITTER_PACKET_BYTES, JITTER_SECONDS), bytes: JITTER_PACKET_BYTES };
    const runs = await repeat(`jitter at ${mbps} Mbit/s`, async () => {
      const { arrivals, lateMs } = await measure({ trace: { mbps } }, { ...flow, mbps: 0.9 * mbps });
      let free = 0;
      const added = arrivals.map(({ sentMs, arrivedMs }) => {
        free = Math.max(free, sentMs) + packetMs;
        return arrivedMs - free - DELAY_MS;
      });
      return { p50: percentile(added, 0.5), p99: percentile(added, 0.99), lateMs };
    });
    for (const name of /** @type {const} */ (['p50', 'p99'])) {
      figures[`jitter${name.toUpperCase()}Ms${mbps}`] = rounded(median(runs.map((run) => run[name])));
    }
    figures[`jitterLateMs${mbps}`] = median(runs.map(({ lateMs }) => lateMs));
  }
  return figures;
}

/** @param {Measure} measure */
async function losses(measure) {
  const { percent, packets } = LOSS;
  const direction = { trace: { mbps: 50 }, loss: { percent } };
  const lostWith = async (/** @type {number} */ seed) => {
    say(`link: losses of seed ${seed}`);
    const arrived = new Set((await measure(direction, LOSS, seed)).arrivals.map(({ sequence }) => sequence));
    return [...Array(packets).keys()].filter((sequence) => !arrived.has(sequence));
  };
  const [first, again, other] = [await lostWith(1), await lostWith(1), await lostWith(2)];
  const share = percent / 100;
  const bound = BINOMIAL_DEVIATIONS * Math.sqrt(packets * share * (1 - share));
  return {
    lost: { seed1: first.length, seed2: other.length, expected: packets * share, bound: Math.round(bound) },
    lossWithinBounds: [first, other].every((lost) => Math.abs(lost.length - packets * share) <= bound),
    sameSeedSameLosses: String(first) === String(again),
    otherSeedOtherLosses: String(first) !== String(other),
  };
}

/** @template T @param {string} name @param {() => Promise<T>} work @returns {Promise<T[]>} */
async function repeat(name, work) {
  const results = [];
  for (let repetition = 1; repetition <= REPETITIONS; repetition++) {
    say(`link: ${name}, ${repetition} of ${REPETITIONS}`);
    results.push(await work());
  }
  return results;
}

/** @param {number} mbps @param {number} bytes @param {number} seconds */
const packetsOf = (mbps, bytes, seconds) => Math.ceil((seconds * mbps * 1e6) / 8 / bytes);

/** @param {number[]} values @param {number} share @returns {number} */
function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return /** @type {number} */ (sorted[Math.floor(share * (sorted.length - 1))]);
}

/** Four decimals. @param {number} value */
const rounded = (value) => Number(value.toFixed(4));

/** @param {number[]} values */
const median = (values) => percentile(values, 0.5);
