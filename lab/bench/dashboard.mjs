// @ts-check
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureChrome } from '../../tools/setup/chrome.mjs';
import { choiceOption, numberOption } from '../../tools/setup/command-line.mjs';
import { root, venvProgram } from '../../tools/setup/paths.mjs';
import { say, UserError } from '../../tools/setup/process.mjs';
import { ensurePython } from '../../tools/setup/python.mjs';
import { ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { pageOf } from './dashboard/page.mjs';
import { drawnPanel, readDashboard, withoutVariables } from './dashboard/panels.mjs';
import { startPrometheus } from './dashboard/prometheus.mjs';

export const usage = `npm run bench -- dashboard [--server quiche|aioquic] [--seconds 60] [--out output/dashboard.png]: a load on a server, which comes
and goes; the real Prometheus with the configuration of deploy/; every query of the Grafana dashboard, put to Prometheus; and a picture of
the panels, drawn by a page of ours from Prometheus' answers, not by Grafana.`;

export const options = /** @type {const} */ ({
  server: { type: 'string', default: 'quiche' },
  seconds: { type: 'string', default: '60' },
  out: { type: 'string', default: 'output/dashboard.png' },
});

/** Groups of clients that come one after another: viewers, and a client of HTTP. The first of them leave again. */
const GROUPS = 4;
const LEAVERS = 2;

const SEGMENT_BYTES = 100_000;

const FILE_BYTES = 1_000_000;

/** Over which rates are taken. */
const RATE_SECONDS = 5;

/** @param {{ server: string, seconds: string, out: string }} values @returns {Promise<void>} */
export async function main({ server: name, seconds, out }) {
  choiceOption('server', name, ['aioquic', 'quiche']);
  numberOption('seconds', seconds, { low: 10, high: 100_000 });
  const program =
    name === 'quiche' ? (process.env.VOXEL_QUICHE ?? (await ensureQuicheServer())) : venvProgram('voxel-serve');
  const chrome = await ensureChrome();
  await ensurePython('tests');
  const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
  const media = mkdtempSync(join(folder, 'media-'));
  writeFileSync(join(media, 'media.mp4'), Buffer.alloc(FILE_BYTES, 'voxel'));
  try {
    const server = await startServer([media, '--http-port', '0', '--quic-port', '0'], program);
    const prometheus = await startPrometheus(new URL(server.ready.metrics ?? '').host, folder);
    try {
      const from = Math.round(Date.now() / 1000);
      const end = await load(server.ready, join(media, 'media.mp4'), Number(seconds));
      const to = Math.round(Date.now() / 1000);
      const title = `voxel-dash servers: voxel-${name === 'quiche' ? name : 'serve'} under load, drawn from Prometheus' answers to the dashboard's queries`;
      const shown = await panels(prometheus, from, to);
      end();
      await picture(title, shown, chrome, resolve(out));
    } finally {
      await prometheus.stop();
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {import('../../tools/start/server.mjs').Ready} ready @param {string} file @param {number} seconds @returns what ends the clients that are left */
async function load({ url, quicPort }, file, seconds) {
  say(`dashboard: ${seconds} s of load …`);
  const port = String(quicPort);
  const viewer = ['conformance.viewer', port, '/media.mp4', String(SEGMENT_BYTES)];
  /** @type {import('node:child_process').ChildProcess[][]} */
  const groups = [];
  const step = (1000 * seconds) / (GROUPS + LEAVERS);
  for (let group = 0; group < GROUPS; group++) {
    groups.push([viewer, viewer, ['conformance.honest', url, port, file]].map(startClient));
    await sleep(step);
    // Somebody follows a broken link.
    await fetch(`${url}absent`);
  }
  const end = (/** @type {import('node:child_process').ChildProcess[]} */ group) =>
    group.forEach((client) => client.kill());
  for (const group of groups.splice(0, LEAVERS)) {
    end(group);
    await sleep(step);
  }
  return () => groups.forEach(end);
}

/** @param {string[]} words */
const startClient = (words) =>
  spawn(venvProgram('python'), ['-m', ...words], { cwd: join(root, 'server'), stdio: ['ignore', 'ignore', 'inherit'] });

/** The others have data of voxel-quiche --origin only. @param {import('./dashboard/panels.mjs').Panel} panel */
const isOfServer = ({ title }) => !title.startsWith('Edge: ');

/** @param {Awaited<ReturnType<typeof startPrometheus>>} prometheus @param {number} from @param {number} to */
async function panels(prometheus, from, to) {
  const times = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const drawn = [];
  for (const panel of readDashboard().panels.filter(isOfServer)) {
    const answers = [];
    for (const { expr } of panel.targets)
      answers.push(await prometheus.range(withoutVariables(expr, RATE_SECONDS), from, to));
    drawn.push(drawnPanel(panel, answers, times));
  }
  const empty = drawn.filter(({ curves }) => curves.length === 0).map(({ title }) => title);
  if (empty.length > 0) throw new UserError(`Prometheus has no data for ${empty.join(', ')}`, 1);
  return { times, drawn };
}

/** @param {string} title @param {Awaited<ReturnType<typeof panels>>} shown @param {string} chrome @param {string} out */
async function picture(title, { times, drawn }, chrome, out) {
  const browser = await launchChrome(chrome);
  try {
    const page = await browser.newPage();
    await page.setViewport({ width: 1400, height: 900 });
    await page.setContent(pageOf(title, times, drawn));
    await page.screenshot({ path: out, fullPage: true });
  } finally {
    await browser.close();
  }
  say(`dashboard: ${drawn.length} panels: ${out}`);
}
