// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { run, say, UserError } from '../../tools/setup/process.mjs';
import { canBuildQuiche, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { prepareClients } from './interop/clients.mjs';
import { stepsInPage } from './interop/page.mjs';
import { startLoggedServer } from './interop/server.mjs';
import { STEPS, surprises, table, withTable } from './interop/table.mjs';
import { atMost, barLine } from '../sim/report/bar.js';

export const usage = `npm run bench -- interop [--only NAME] [--write] [--json]: WebTransport clients of other makes, in pinned versions, against both
servers: a session, streams, datagrams, resets, the code that a session is closed with, twenty sessions one after the other in one page or process.
--only: clients whose name contains it; --write: puts the table into docs/PROTOCOL.md. What is not installed (browsers, go, cargo) is left out
with a line. Exit code 1 where something fails that has no known reason.`;

export const options = /** @type {const} */ ({
  only: { type: 'string', default: '' },
  write: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
});

const FILE_BYTES = 4_000_000;
const CODE = 4711;
const PATIENCE_MS = 180_000;

/** @typedef {Awaited<ReturnType<typeof prepareClients>>[number]} Client @typedef {Awaited<ReturnType<typeof startLoggedServer>>} Server */

/** @param {{ only: string, write: boolean, json: boolean }} values @returns {Promise<import('../sim/report/bar.js').Bar[]>} */
export async function main({ only, write, json }) {
  if (write && only !== '') throw new UserError('--write needs all clients: leave out --only');
  const programs = { 'voxel-serve': venvProgram('voxel-serve'), 'voxel-quiche': await quiche() };
  const clients = (await prepareClients()).filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  const folder = mkdtempSync(join(tmpdir(), 'bench-interop-'));
  writeFileSync(
    join(folder, 'media.mp4'),
    Uint8Array.from({ length: FILE_BYTES }, (_, place) => place % 251),
  );
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>interop</title>');
  /** @type {import('./interop/table.mjs').Row[]} */
  const rows = [];
  try {
    for (const client of clients) {
      /** @type {import('./interop/table.mjs').Row} */
      const row = { client: client.name, outcomes: {}, ...('missing' in client && { missing: client.missing }) };
      rows.push(row);
      if ('missing' in client) say(`${client.name}: left out, ${client.missing}`);
      for (const [name, program] of Object.entries(programs)) {
        if (program === undefined || 'missing' in client) continue;
        const outcome = await outcomeOf(client, folder, program);
        row.outcomes[/** @type {keyof typeof programs} */ (name)] = outcome;
        say(
          `${client.name}, ${name}: ${STEPS.map((step) => `${step} ${outcome[step] || (outcome[step] === '' ? '✓' : '–')}`).join(', ')}`,
        );
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const unknown = surprises(rows);
  unknown.forEach(say);
  const bars = [atMost('failures without a known reason', unknown.length, 0)];
  console.log(json ? JSON.stringify(rows) : [table(rows), ...bars.map(barLine)].join('\n'));
  if (write) await writeTable(table(rows));
  return bars;
}

/** @returns {Promise<string | undefined>} */
async function quiche() {
  if (process.env.VOXEL_QUICHE) return process.env.VOXEL_QUICHE;
  if (canBuildQuiche()) return ensureQuicheServer();
  say('voxel-quiche is left out: it cannot be built here (server/quiche/README.md)');
  return undefined;
}

/** @param {string} content */
async function writeTable(content) {
  const path = join(root, 'docs', 'PROTOCOL.md');
  writeFileSync(path, withTable(readFileSync(path, 'utf8'), content));
  await run('npx', ['prettier', '--write', path], { cwd: root, output: 'on-failure' });
}

/** @param {Exclude<Client, { missing: string }>} client @param {string} folder @param {string} program */
async function outcomeOf(client, folder, program) {
  const server = await startLoggedServer(folder, program);
  try {
    const outcome = 'browser' in client ? await inBrowser(client, server) : await ofProgram(client.command, server);
    // Whether the code has arrived, the server's log knows.
    if (outcome.close === '' && !(await server.logs((line) => line.event === 'session closed' && line.code === CODE))) {
      outcome.close = 'the server has not heard the code';
    }
    return outcome;
  } finally {
    await server.stop();
  }
}

/** @param {string[]} command @param {Server} server @returns {Promise<import('./interop/table.mjs').Outcome>} */
async function ofProgram([program = '', ...args], { ready }) {
  const words = [...args, ready.endpoint, ready.certificateHashes[0] ?? ''];
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'], timeout: PATIENCE_MS });
  let output = '';
  child.stdout.on('data', (/** @type {Buffer} */ data) => (output += data.toString()));
  const [code] = await once(child, 'close');
  return output === '' ? { session: `the program ended with ${code}` } : JSON.parse(output);
}

/** @param {{ browser: 'chrome' | 'firefox', path: string }} client @param {Server} server */
async function inBrowser({ browser: kind, path }, { ready }) {
  const browser = await (kind === 'chrome'
    ? launchChrome(path)
    : puppeteer.launch({ browser: 'firefox', executablePath: path, headless: true }));
  try {
    const page = await browser.newPage();
    await page.goto(ready.url);
    return /** @type {import('./interop/table.mjs').Outcome} */ (
      await page.evaluate(stepsInPage, ready.endpoint, ready.certificateHashes[0] ?? '')
    );
  } finally {
    await browser.close();
  }
}
