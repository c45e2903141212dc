// @ts-check
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { cacheFolder, root } from '../../../tools/setup/paths.mjs';
import { outputOf, run, say } from '../../../tools/setup/process.mjs';
import { cpuSeconds } from './process-figures.mjs';

/**
 * Builds the plain servers and the client of HTTP/3.
 * @returns {Promise<string | undefined>} path of the program; undefined where there is no Go
 */
export async function ensurePlainHttp3() {
  if (outputOf('go', ['version']) === undefined) {
    say('no Go here: the plain servers and what they cost are left out');
    return undefined;
  }
  say('building the plain servers …');
  const program = join(cacheFolder, 'plain-http3');
  await run('go', ['build', '-o', program, '.'], { cwd: join(root, 'server', 'plain-http3'), output: 'on-failure' });
  return program;
}

/**
 * What HTTP/3 downloads cost a server's process.
 * @param {string} program @param {{ pid: number, port: number }} server @param {string} path @param {number} count
 * @returns {Promise<{ http3Mbps: number, http3CpuSecondsPerGb: number }>}
 */
export async function download(program, { pid, port }, path, count) {
  const before = cpuSeconds(pid);
  const { stdout } = await promisify(execFile)(program, ['get', `https://127.0.0.1:${port}${path}`, String(count)]);
  const { bytes, seconds } = /** @type {{ bytes: number, seconds: number }} */ (JSON.parse(stdout));
  return {
    http3Mbps: (8e-6 * bytes) / seconds,
    http3CpuSecondsPerGb: (1e9 * (cpuSeconds(pid) - before)) / bytes,
  };
}

/**
 * The same of the plain server.
 * @param {string} program @param {string} folder @param {string} path @param {number} count
 */
export async function plainDownload(program, folder, path, count) {
  const child = spawn(program, ['serve', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = /** @type {[string]} */ (await once(createInterface({ input: child.stdout }), 'line'));
    const { quicPort } = /** @type {{ quicPort: number }} */ (JSON.parse(line));
    return await download(program, { pid: Number(child.pid), port: quicPort }, path, count);
  } finally {
    child.kill();
  }
}
