// The two ends of a link that a client of a server may share with TCP downloads: `server JOB` and `client JOB`, each in a network of its own.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { serverAddress, PORTS, SERVER_ADDRESS } from '../../trials/addresses.js';
import { OtherTraffic } from '../../trials/inside/cross-traffic-client.js';
import { serveCrossTraffic } from '../../trials/inside/cross-traffic-server.js';
import { setTcpControl } from '../../trials/inside/tcp-control.js';
import { untilServerAnswers } from '../../trials/inside/server-access.js';
import type { Beside, LinkJob } from './link.mjs';

/** Downloads are in full swing before the client comes. */
const LEAD_MS = 3000;

/** What arrives of a full TCP packet, and its data. */
const TCP_PACKET = { bytes: 1500, data: 1448 };

const [role, file] = process.argv.slice(2) as [string, string];
const job = JSON.parse(readFileSync(file, 'utf8')) as LinkJob;
if (role === 'server') await serve();
else await ask();
// Sockets of the downloads would keep the process alive.
process.exit();

async function serve(): Promise<void> {
  setTcpControl(job.tcpControl);
  serveCrossTraffic();
  const [command, ...args] = [...job.server, '--host', SERVER_ADDRESS, '--insecure'];
  const ports = ['--http-port', String(PORTS.http1), '--quic-port', String(PORTS.quic)];
  const child = spawn(command, [...args, ...ports], {
    stdio: ['ignore', openSync(job.ready, 'w'), openSync(job.log, 'w')],
  });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  await once(child, 'exit');
}

async function ask(): Promise<void> {
  await untilServerAnswers(job.ready);
  const { certificateHashes } = JSON.parse(readFileSync(job.ready, 'utf8')) as { certificateHashes: string[] };
  const others = job.flows > 0 ? new OtherTraffic({ bulkFlows: job.flows }, 1) : undefined;
  if (others) await sleep(LEAD_MS);
  others?.playbackBegins();
  const before = { bytes: receivedBytes(), time: performance.now() };
  const endpoint = `https://${serverAddress(0)}:${PORTS.quic}/voxel`;
  const { stdout } = await promisify(execFile)(job.probe, [endpoint, '--hash', certificateHashes[0]!, ...job.asking]);
  const seconds = (performance.now() - before.time) / 1000;
  const downloads = (others?.bulkRates() ?? []).map((rate) => (rate / 1e6) * (TCP_PACKET.bytes / TCP_PACKET.data));
  const all = (8e-6 * (receivedBytes() - before.bytes)) / seconds;
  const own = all - downloads.reduce((sum, rate) => sum + rate, 0);
  console.log(JSON.stringify({ own, downloads, seconds, seen: JSON.parse(stdout) as unknown } satisfies Beside));
}

/** Bytes that have come over all links of this network but its own. */
function receivedBytes(): number {
  const lines = readFileSync('/proc/net/dev', 'utf8').split('\n').slice(2);
  const links = lines.map((line) => line.trim().split(/[:\s]+/)).filter(([name]) => name && name !== 'lo');
  return links.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}
