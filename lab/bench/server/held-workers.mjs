// @ts-check
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { say } from '../../../tools/setup/process.mjs';
import { startServer } from '../../../tools/start/server.mjs';
import { UNLIMITED } from './probe.mjs';
import { rounded } from './process-figures.mjs';

/** A worker's share of a core: the clients have the rest of a small machine. */
const SHARE = 0.25;
const PERIOD_US = 20_000;

/** Sessions at a time, so that chance gives each worker about half. */
const SESSIONS = 32;

const WARM_UP_MS = 3000;
const MEASURED_MS = 8000;

/**
 * What one and two workers carry where each has a quarter of a core; undefined, with a line that says why, where it cannot be arranged.
 * @param {{ server: string, probe: string, folder: string }} tools `folder`: with `large.bin`
 * @returns {Promise<{ oneMbps: number, twoMbps: number, ratio: number } | undefined>}
 */
export async function carriedByWorkers(tools) {
  const cgroup = cpuCgroup();
  if (cgroup === undefined) {
    say('no cgroup (version 1) for processor shares can be made here: two workers are not measured');
    return undefined;
  }
  say('server-peers: one worker and two, each with a quarter of a core');
  const [one, two] = [await carried(tools, cgroup, 1), await carried(tools, cgroup, 2)];
  return { oneMbps: rounded(one), twoMbps: rounded(two), ratio: rounded(two / one) };
}

/**
 * How threads are held to a share: makes a group and puts a thread into it.
 * @typedef {{ make: (folder: string) => void, add: (folder: string, thread: string) => void, root: string }} Cgroup
 */

/** @returns {Cgroup | undefined} */
function cpuCgroup() {
  const quota = Math.round(SHARE * PERIOD_US);
  const first = '/sys/fs/cgroup/cpu';
  /** @type {Cgroup} */
  const cgroup = {
    root: first,
    make: (folder) => {
      mkdirSync(folder);
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(PERIOD_US));
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
    },
    add: (folder, thread) => writeFileSync(join(folder, 'tasks'), thread),
  };
  if (!existsSync(join(first, 'tasks'))) return undefined;
  const tried = join(first, `voxel-bench-${process.pid}`);
  try {
    cgroup.make(tried);
    rmdirSync(tried);
    return cgroup;
  } catch {
    return undefined;
  }
}

/**
 * Bytes of streams a second, in Mbit/s, while all sessions download.
 * @param {{ server: string, probe: string, folder: string }} tools @param {Cgroup} cgroup @param {number} count of workers
 */
async function carried({ server: program, probe, folder }, cgroup, count) {
  const options = ['--workers', String(count), '--http-port', '0', '--quic-port', '0', ...UNLIMITED];
  const server = await startServer([folder, ...options], program);
  /** @type {string[]} */
  const groups = [];
  const words = [
    '--hash',
    server.ready.certificateHashes[0] ?? '',
    '--target',
    '/large.bin',
    '--sessions',
    String(SESSIONS),
  ];
  const client = execFile(probe, [server.ready.endpoint, ...words, '--requests', '1000'], () => {});
  try {
    for (const thread of readdirSync(`/proc/${server.pid}/task`)) {
      const name = readFileSync(`/proc/${server.pid}/task/${thread}/comm`, 'utf8').trim();
      if (!/^worker-\d+$/.test(name)) continue;
      const group = join(cgroup.root, `voxel-bench-${process.pid}-${name}`);
      cgroup.make(group);
      groups.push(group);
      cgroup.add(group, thread);
    }
    if (groups.length !== count) throw new Error(`${count} workers were asked for, ${groups.length} are there`);
    await delay(WARM_UP_MS);
    const [before, begun] = [await streamBytes(server.ready.metrics), performance.now()];
    await delay(MEASURED_MS);
    const bytes = (await streamBytes(server.ready.metrics)) - before;
    return (8e-3 * bytes) / (performance.now() - begun);
  } finally {
    client.kill('SIGKILL');
    await server.stop();
    for (const group of groups) rmdirSync(group);
  }
}

/** @param {string | null} metrics address of the counters */
async function streamBytes(metrics) {
  const page = await (await fetch(metrics ?? '')).text();
  return Number(/^voxel_stream_bytes_total (\d+)$/m.exec(page)?.[1]);
}
