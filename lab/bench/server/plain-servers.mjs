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
 * Builds a server on a stack in Go that ours are measured beside.
 * @param {'plain-http3' | 'plain-webtransport'} name
 * @returns {Promise<string | undefined>} path of the program; undefined where there is no Go
 */
export async function ensurePlainServer(name) {
  if (outputOf('go', ['version']) === undefined) {
    say(`no Go here: ${name} and what it costs are left out`);
    return undefined;
  }
  say(`building ${name} …`);
  const program = join(cacheFolder, name);
  await run('go', ['build', '-o', program, '.'], { cwd: join(root, 'server', name), output: 'on-failure' });
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
