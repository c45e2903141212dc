import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../tools/setup/free-port.mjs';

const START_MS = 20_000;
const POLL_MS = 20;

/** Debian has it in a folder that is in the path of few users. */
const SEARCHED = [process.env['PATH'] ?? '', '/usr/sbin', '/usr/local/sbin'].join(':');

/** What nginx was asked, in the order of its answers. */
export interface NginxRequest {
  readonly path: string;
  readonly status: number;
  readonly bodyBytes: number;
}

export interface Nginx {
  readonly url: string;
  /** Waits until nginx has logged all that it has answered: it ends. */
  stop(): Promise<void>;
  requests(): NginxRequest[];
}

export const NGINX_MISSING = 'nginx is not installed (apt-get install nginx-light)';

/** Whether nginx is installed. */
export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v'], { env: { ...process.env, PATH: SEARCHED } }).status === 0;
}

/** Nginx as it is installed, with nothing set but a folder to serve; `state`: an empty folder for its own files. */
export async function startNginx(state: string, folder: string): Promise<Nginx> {
  const port = await freePort();
  const log = join(state, 'requests.log');
  mkdirSync(join(state, 'logs'));
  writeFileSync(join(state, 'nginx.conf'), configuration(port, folder, log));
  const words = ['-p', state, '-c', 'nginx.conf', '-e', 'stderr'];
  const child = spawn('nginx', words, {
    env: { ...process.env, PATH: SEARCHED },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (text: Buffer) => {
    complaints += String(text);
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}/`;
  const begun = Date.now();
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() - begun > START_MS) throw new Error(`nginx did not start: ${complaints}`);
    await sleep(POLL_MS);
  }
  return {
    url,
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await exited;
    },
    requests: () => readFileSync(log, 'utf8').split('\n').flatMap(requestOf),
  };
}

function configuration(port: number, folder: string, log: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off; worker_processes 1; pid nginx.pid; ${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 512; }
http {
  ${temporary.map((name) => `${name}_temp_path ${name};`).join(' ')}
  log_format voxel '$status $body_bytes_sent $uri';
  access_log ${log} voxel;
  server { listen 127.0.0.1:${port}; root ${folder}; }
}`;
}

function requestOf(line: string): NginxRequest[] {
  const [, status, bodyBytes, path] = /^(\d+) (\d+) (.*)$/.exec(line) ?? [];
  return path === undefined ? [] : [{ path, status: Number(status), bodyBytes: Number(bodyBytes) }];
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}is-it-there`).then(
    () => true,
    () => false,
  );
}
