// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { say, UserError } from '../../tools/setup/process.mjs';
import { ensurePeer, ensureQuicheProbe, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { atLeast, atMost, barLine } from '../sim/report/bar.js';
import { carriedByWorkers } from './server/held-workers.mjs';
import { ensurePlainHttp3 } from './server/plain-http3.mjs';
import { probeServer } from './server/probe.mjs';
import { cpuSeconds, median, rounded } from './server/process-figures.mjs';

export const usage = `npm run bench -- server-peers [--json] [--quick] [--before PROGRAM] [--only costs|workers]: what a gigabyte costs voxel-quiche beside the least
WebTransport servers of other stacks, wtransport (quinn) and webtransport-go (quic-go): the same file in memory or page cache, the same client, in turn; and how
much more two workers carry than one where each has a quarter of a core (as root, where cgroups are of version 1); about six minutes.
--before: another build of voxel-quiche, measured in the same turns. --json: one object on standard output. --quick: one repetition.`;

export const options = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  quick: { type: 'boolean', default: false },
  before: { type: 'string' },
  only: { type: 'string' },
});

const PARTS = ['costs', 'workers'];

/** Repetitions, in turn between the servers; the median counts. */
const REPETITIONS = 5;

/** A measurement takes some tenths of a second of a processor: ticks of a hundredth are no more than some per cent of it. */
const BODY_BYTES = 50_000_000;
const REQUESTS = 10;

/** @type {Record<Way, string[]>} */
const WAYS = { streams: [], datagrams: ['--unreliable'] };

/** @typedef {'streams' | 'datagrams'} Way */
/** @typedef {{ pid: number, ready: import('../../tools/start/server.mjs').Ready, stop: () => Promise<unknown> }} Running */
/** @typedef {{ name: string, command: string[] }} Program */

/** @param {{ json: boolean, quick: boolean, before?: string, only?: string }} values @returns {Promise<import('../sim/report/bar.js').Bar[]>} */
export async function main({ json, quick, before, only }) {
  if (only !== undefined && !PARTS.includes(only))
    throw new UserError(`--only must be ${PARTS.join(' or ')}, got '${only}'`);
  if (before !== undefined && !existsSync(before)) throw new UserError(`--before: there is no ${before}`);
  const [server, probe] = [await ensureQuicheServer(), await ensureQuicheProbe()];
  const folder = mkdtempSync(join(tmpdir(), 'server-peers-'));
  try {
    const file = join(folder, 'large.bin');
    writeFileSync(file, Buffer.alloc(BODY_BYTES));
    const quiche = (/** @type {string} */ program) => [program, folder, '--http-port', '0', '--quic-port', '0'];
    const plain = await ensurePlainHttp3();
    /** @type {Program[]} */
    const peers = [
      { name: 'wtransport', command: [await ensurePeer(), file] },
      ...(plain ? [{ name: 'webtransport-go', command: [plain, 'webtransport', file] }] : []),
    ];
    const programs = [
      { name: 'voxel-quiche', command: quiche(server) },
      ...(before ? [{ name: 'before', command: quiche(before) }] : []),
      ...peers,
    ];
    const costs = only === 'workers' ? {} : await costsOf(programs, probe, quick ? 1 : REPETITIONS);
    const workers = only === 'costs' ? undefined : await carriedByWorkers({ server, probe, folder });
    const bars = [...costBars(costs, peers), ...(workers ? [atLeast('two workers over one', workers.ratio, 1.9)] : [])];
    if (json) console.log(JSON.stringify({ costs, workers, bars, loadAverage: rounded(loadavg()[0] ?? NaN) }));
    else console.log([...lines(costs), ...(workers ? [JSON.stringify(workers)] : []), ...bars.map(barLine)].join('\n'));
    return bars;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Processor seconds for a gigabyte, of each repetition, by server and way.
 * @typedef {Record<string, Record<Way, number[]>>} Costs
 */

/** @param {Program[]} programs @param {string} probe @param {number} repetitions @returns {Promise<Costs>} */
async function costsOf(programs, probe, repetitions) {
  /** @type {Costs} */
  const costs = Object.fromEntries(programs.map(({ name }) => [name, { streams: [], datagrams: [] }]));
  for (let repetition = 1; repetition <= repetitions; repetition++) {
    say(`server-peers: ${repetition} of ${repetitions}`);
    for (const { name, command } of programs) {
      const server = await start(command);
      try {
        for (const way of /** @type {Way[]} */ (Object.keys(WAYS))) {
          const begun = cpuSeconds(server.pid);
          const words = ['--target', '/large.bin', '--requests', String(REQUESTS), ...WAYS[way]];
          const { bytes, failedSessions } = await probeServer(probe, server.ready, words);
          if (failedSessions > 0 || bytes < 0.9 * REQUESTS * BODY_BYTES)
            throw new UserError(`${name}: ${bytes} bytes of ${way} came`, 1);
          costs[name]?.[way].push((1e9 * (cpuSeconds(server.pid) - begun)) / bytes);
        }
      } finally {
        await server.stop();
      }
    }
  }
  return costs;
}

/** Starts a server that prints a JSON object when it is ready. @param {string[]} command @returns {Promise<Running>} */
async function start([program = '', ...words]) {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = /** @type {[string]} */ (await once(createInterface({ input: child.stdout }), 'line'));
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return { pid: Number(child.pid), ready: JSON.parse(line), stop };
}

/** @param {Costs} costs @param {Program[]} peers */
function costBars(costs, peers) {
  const own = costs['voxel-quiche'];
  if (!own) return [];
  return /** @type {Way[]} */ (Object.keys(WAYS)).flatMap((way) => {
    const of = (/** @type {string} */ name) => costs[name]?.[way] ?? [];
    // The ratio of each turn: a machine that is busier in one is so for all.
    const ratio = (/** @type {string} */ name) =>
      rounded(median(own[way].map((cost, turn) => cost / (of(name)[turn] ?? NaN))));
    const best = peers.map(({ name }) => name).sort((a, b) => median(of(a)) - median(of(b)))[0] ?? '';
    return [
      atMost(`${way}: processor seconds of a gigabyte, over those of ${best}`, ratio(best), 0.75),
      ...('before' in costs ? [atMost(`${way}: the same, over those of the build before`, ratio('before'), 0.8)] : []),
    ];
  });
}

/** @param {Costs} costs */
const lines = (costs) =>
  Object.entries(costs).map(([name, { streams, datagrams }]) => {
    const [first, second] = [streams, datagrams].map(
      (all) => `${rounded(median(all))} (${all.map(rounded).join(' ')})`,
    );
    return `${name}: ${first} s/GB as streams, ${second} as datagrams`;
  });
