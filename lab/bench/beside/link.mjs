// @ts-check
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../../tools/setup/paths.mjs';

/**
 * What both ends of the link are told. `asking`: options of the probe; `tcpControl`: of the downloads; `ready`, `log`: files.
 * @typedef {{ server: string[], probe: string, asking: string[], tcpControl: string, flows: number, ready: string, log: string }} LinkJob
 */

/**
 * Mbit/s on the link, of the probe and of each download, for so many seconds; `seen`: what the probe prints.
 * @typedef {{ own: number, downloads: number[], seconds: number, seen: unknown }} Beside
 */

/**
 * A probe asks a server over an emulated link, beside TCP downloads.
 * @param {string} linkemu program @param {string} folder for the job's files and the link's log
 * @param {Omit<LinkJob, 'ready' | 'log'>} asked @param {{ seed: number, paths: object[] }} link as in a link file
 * @returns {Promise<Beside & { log: string }>} `log`: the server's, a file
 */
export async function overLink(linkemu, folder, asked, link) {
  const file = (/** @type {string} */ name) => join(folder, name);
  const log = file('server.log');
  /** @type {LinkJob} */
  const job = { ...asked, ready: file('ready.json'), log };
  writeFileSync(file('job.json'), JSON.stringify(job));
  writeFileSync(file('link.json'), JSON.stringify(link));
  const end = (/** @type {string} */ role) => [
    process.execPath,
    ...['--import', 'tsx', join(import.meta.dirname, 'inside.ts'), role, file('job.json')],
  ];
  const words = ['run', file('link.json'), '--log', folder, '--', ...end('server'), '---', ...end('client')];
  const { stdout } = await promisify(execFile)(linkemu, words, { cwd: root });
  return { .../** @type {Beside} */ (JSON.parse(stdout)), log };
}
