// The server of a trial: runs in the server's network, starts voxel-serve and, if asked for, the source of other traffic.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILES, type Job } from '../job.js';
import { serveCrossTraffic } from './cross-traffic-server.js';

const folder = process.argv[2]!;
const { server, client } = JSON.parse(readFileSync(join(folder, FILES.job), 'utf8')) as Job;
if (client.crossTraffic) serveCrossTraffic();
// Of this network alone. Without the right to choose it, or such a module in the kernel, the trial fails.
if (server.tcpControl !== undefined) writeFileSync('/proc/sys/net/ipv4/tcp_congestion_control', server.tcpControl);
const child = spawn(server.command, server.args, {
  stdio: ['ignore', openSync(join(folder, FILES.ready), 'w'), 'inherit'],
});
process.on('SIGTERM', () => child.kill('SIGTERM'));
const [code] = (await once(child, 'exit')) as [number | null];
process.exit(code ?? 1);
