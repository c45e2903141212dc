// @ts-check
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { choiceOption } from '../../tools/setup/command-line.mjs';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { say, UserError } from '../../tools/setup/process.mjs';
import { ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { EDGE_ATTACKS, startEdge } from './server/hostile-edge.mjs';
import { residentBytes, rounded } from './server/process-figures.mjs';
import { atMost } from '../sim/report/bar.js';

export const usage = `npm run bench -- server-hostile [--json] [--server aioquic|quiche] [--attack NAME]: what becomes of an honest client while
others attack the server (server/conformance/attacks.py): heads of 60 kB, streams with a gap, 1024 unread responses under 1024
descriptors, 2,000 garbage Initials, 2,000 ClientHellos, 1,000 idle TLS handshakes, 100 half heads; and of voxel-quiche in front
of an origin by one address: 2,000 ranges of one byte all over a file, requests for files that the origin holds back, many small
files. Wrong answers, latency before and during the attack, the server's memory before, at most and after it; about twelve
minutes. --json: one object a line for each attack and server. Exit code 1 where an answer is wrong, the latency's 99th
percentile is above 300 ms (quiche) or 1 s (aioquic), more than 32 MiB are held after the attack, or an edge has fetched more
than twice what it has served, or takes more than 1.1 × --cache-bytes of the disk.`;

export const options = /** @type {const} */ ({
  json: { type: 'boolean', default: false },
  server: { type: 'string' },
  attack: { type: 'string' },
});

const ATTACKS = [
  'long-heads',
  'gapped-streams',
  'unread-responses',
  'garbage-initials',
  'client-hellos',
  'idle-tls',
  'half-heads',
  ...EDGE_ATTACKS,
];

const BARS = {
  latencyMsP99: { quiche: 300, aioquic: 1000 },
  grownMebibytes: 32,
  originByServed: 2,
  diskByCache: 1.1,
};

/** Before the attack, its length, and until what it has left behind times out (10 s for heads and handshakes, 30 for responses). */
const CALM_MS = 8000;
const ATTACK_MS = 15_000;
const SETTLE_MS = 15_000;
const SETTLE_UNREAD_MS = 40_000;
const SAMPLE_MS = 100;

const FILE_BYTES = 1_000_000;
const HUGE_BYTES = 50_000_000;

const DESCRIPTORS = 1024;

/** The attackers' processor time is not the server's: they get what is left. */
const NICE = ['nice', '-n', '10'];

/** @typedef {'aioquic' | 'quiche'} Name */
/** @typedef {[kind: string, due: number, ms: number, right: boolean]} Answer */

/** @param {{ json: boolean, server?: string, attack?: string }} values @returns {Promise<import('../sim/report/bar.js').Bar[]>} */
export async function main({ json, server, attack }) {
  if (server !== undefined && !['aioquic', 'quiche'].includes(server)) {
    throw new UserError(`--server must be aioquic or quiche, got '${server}'`);
  }
  choiceOption('attack', attack, ATTACKS);
  const quiche = server === 'aioquic' ? '' : await ensureQuicheServer();
  const programs = { quiche, aioquic: venvProgram('voxel-serve') };
  const folder = mkdtempSync(join(tmpdir(), 'server-hostile-'));
  /** @type {import('../sim/report/bar.js').Bar[]} */
  const bars = [];
  try {
    await makeSite(folder);
    for (const name of /** @type {const} */ (['quiche', 'aioquic'])) {
      for (const one of ATTACKS) {
        if ((server ?? name) !== name || (attack ?? one) !== one) continue;
        if (name === 'aioquic' && EDGE_ATTACKS.includes(one)) continue;
        say(`server-hostile: ${name}, ${one}`);
        const result = await withstand(name, programs[name], one, folder);
        bars.push(...result.bars);
        console.log(json ? JSON.stringify(result) : result);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return bars;
}

/** The served files, and a certificate beside them. @param {string} folder */
async function makeSite(folder) {
  writeFileSync(join(folder, 'media.bin'), randomBytes(FILE_BYTES));
  const huge = openSync(join(folder, 'huge.bin'), 'w');
  ftruncateSync(huge, HUGE_BYTES);
  closeSync(huge);
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', join(folder, '.key.pem')];
  const words = ['req', '-x509', ...key, '-out', join(folder, '.chain.pem'), '-days', '2', ...subject];
  await promisify(execFile)('openssl', words);
}

/** @param {Name} name @param {string} program @param {string} attack @param {string} folder */
async function withstand(name, program, attack, folder) {
  const tls = ['--host', '0.0.0.0', '--certificate', join(folder, '.chain.pem'), '--key', join(folder, '.key.pem')];
  const args = [folder, '--http-port', '0', '--quic-port', '0', ...(attack === 'idle-tls' ? tls : [])];
  const edge = EDGE_ATTACKS.includes(attack) ? await startEdge(program, folder) : undefined;
  const limited = ['-c', `ulimit -n ${String(DESCRIPTORS)}; exec "$0" "$@"`, program, ...args];
  const server =
    edge?.server ?? (await (attack === 'unread-responses' ? startServer(limited, 'sh') : startServer(args, program)));
  const { quicPort } = server.ready;
  const url = server.ready.url.replace('0.0.0.0', '127.0.0.1');
  const honest = python(['conformance.honest', url, String(quicPort), join(folder, 'media.bin')]);
  /** @type {Answer[]} */
  const answers = [];
  createInterface({ input: honest.stdout }).on('line', (line) => {
    const answer = /** @type {Answer} */ (JSON.parse(line));
    answers.push(answer);
  });
  let most = 0;
  const sampling = setInterval(() => (most = Math.max(most, residentBytes(server.pid))), SAMPLE_MS);
  try {
    await sleep(CALM_MS);
    const before = residentBytes(server.pid);
    const fetched = edge?.watch();
    const from = Date.now() / 1000;
    const ports = [new URL(url).port, String(quicPort), String(ATTACK_MS / 1000)];
    const sent = await outputOfAttack([attack, ...ports]);
    const until = Date.now() / 1000;
    const ofEdge = await fetched?.();
    await sleep(attack === 'unread-responses' ? SETTLE_UNREAD_MS : SETTLE_MS);
    const after = residentBytes(server.pid);
    const during = answers.filter(([, due]) => due >= from && due < until);
    const figures = {
      calm: latency(answers.filter(([, due]) => due < from)),
      during: latency(during),
      newcomers: latency(during.filter(([kind]) => kind.startsWith('new'))),
      after: latency(answers.filter(([, due]) => due >= until)),
    };
    const wrong = answers.filter(([, , , right]) => !right);
    const memory = { before: mebibytes(before), most: mebibytes(most), after: mebibytes(after) };
    const bars = [
      atMost(`${name}, ${attack}: wrong answers`, during.length === 0 ? Infinity : wrong.length, 0),
      atMost(`${name}, ${attack}: ms at p99`, figures.during.msP99, BARS.latencyMsP99[name]),
      atMost(`${name}, ${attack}: MiB held after it`, memory.after - memory.before, BARS.grownMebibytes),
      ...(ofEdge === undefined
        ? []
        : [
            atMost(
              `${name}, ${attack}: bytes of the origin by bytes served`,
              ofEdge.originByServed,
              BARS.originByServed,
            ),
            atMost(`${name}, ${attack}: bytes on disk by --cache-bytes`, ofEdge.diskByCache, BARS.diskByCache),
          ]),
    ];
    return { attack, server: name, sent, ...figures, wrong: countByKind(wrong), mebibytes: memory, edge: ofEdge, bars };
  } finally {
    clearInterval(sampling);
    honest.kill();
    await server.stop();
    await edge?.stop();
  }
}

/** @param {string[]} words a module and its arguments */
function python(words) {
  return spawn(venvProgram('python'), ['-m', ...words], {
    cwd: join(root, 'server'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** @param {string[]} words @returns {Promise<Record<string, number>>} what was sent */
async function outputOfAttack(words) {
  const [program = '', ...rest] = [...NICE, venvProgram('python'), '-m', 'conformance.attacks', ...words];
  const { stdout } = await promisify(execFile)(program, rest, { cwd: join(root, 'server') });
  return /** @type {Record<string, number>} */ (JSON.parse(stdout));
}

/** @param {Answer[]} answers */
function latency(answers) {
  const sorted = answers.map(([, , ms]) => ms).sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => rounded(sorted[Math.ceil(share * sorted.length) - 1] ?? NaN);
  return { requests: sorted.length, msP50: at(0.5), msP99: at(0.99), msMax: at(1) };
}

/** @param {Answer[]} answers */
function countByKind(answers) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const [kind] of answers) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** @param {number} bytes */
const mebibytes = (bytes) => Math.round(bytes / 2 ** 20);
