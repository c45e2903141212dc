// The server of a trial: runs in the server's network, starts voxel-serve and, if asked for, the source of other traffic.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FILES, type Job } from '../job.js';
import { serveCrossTraffic } from './cross-traffic-server.js';
import { setTcpControl } from './tcp-control.js';

const folder = process.argv[2]!;
const { server, client } = JSON.parse(readFileSync(join(folder, FILES.job), 'utf8')) as Job;
if (client.crossTraffic) serveCrossTraffic();
if (server.tcpControl !== undefined) setTcpControl(server.tcpControl);
const child = spawn(server.command, server.args, {
  stdio: ['ignore', openSync(join(folder, FILES.ready), 'w'), 'inherit'],
});
process.on('SIGTERM', () => child.kill('SIGTERM'));
const [code] = (await once(child, 'exit')) as [number | null];
process.exit(code ?? 1);
