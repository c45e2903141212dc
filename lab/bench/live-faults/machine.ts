// What is made to fail: a network between server and viewers, and the disk of a stream. Both take root's rights.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../../tools/setup/process.mjs';

/** Addresses of the two ends. */
const [SERVER, VIEWER] = ['10.79.1.1', '10.79.2.1'] as const;
const [SERVER_ROUTER, VIEWER_ROUTER] = ['10.79.1.254', '10.79.2.254'] as const;

/** Two networks with a router between them. */
export interface FarNetwork {
  readonly serverAddress: string;
  /** The path of a program that runs another one at the server's end, and at the viewers'. */
  atServer(program: string): string;
  atViewer(program: string): string;
  /** From now on the router loses every packet and says nothing of it, or passes all on again. */
  lose(all: boolean): void;
  remove(): void;
}

/** Makes them; `folder` is for the programs that it makes. Throws a `UserError`. */
export function makeFarNetwork(folder: string): FarNetwork {
  const [server, router, viewer] = ['s', 'r', 'v'].map((end) => `voxel-${process.pid}-${end}`) as [
    string,
    string,
    string,
  ];
  const remove = (): void => {
    for (const name of [server, router, viewer]) spawnSync('ip', ['netns', 'del', name]);
  };
  const ends = [
    { name: server, link: 's0', address: SERVER, gateway: SERVER_ROUTER },
    { name: viewer, link: 'v0', address: VIEWER, gateway: VIEWER_ROUTER },
  ];
  try {
    for (const name of [server, router, viewer]) {
      must('ip', 'netns', 'add', name);
      must('ip', '-n', name, 'link', 'set', 'lo', 'up');
    }
    for (const { name, link, address, gateway } of ends) {
      must('ip', '-n', router, 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      must('ip', '-n', router, 'addr', 'add', `${gateway}/24`, 'dev', link);
      must('ip', '-n', router, 'link', 'set', link, 'up');
      must('ip', '-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
      must('ip', '-n', name, 'link', 'set', 'eth0', 'up');
      must('ip', '-n', name, 'route', 'add', 'default', 'via', gateway);
    }
    must('ip', 'netns', 'exec', router, 'sysctl', '-qw', 'net.ipv4.ip_forward=1');
  } catch (error) {
    remove();
    throw error;
  }
  const within = (name: string, program: string): string => {
    const script = join(folder, `${name}.sh`);
    writeFileSync(script, `#!/bin/sh\nexec ip netns exec ${name} '${program}' "$@"\n`, { mode: 0o755 });
    return script;
  };
  return {
    serverAddress: SERVER,
    atServer: (program) => within(server, program),
    atViewer: (program) => within(viewer, program),
    lose(all) {
      for (const { address } of ends)
        must('ip', '-n', router, 'route', all ? 'add' : 'del', 'blackhole', `${address}/32`);
    },
    remove,
  };
}

/** A disk of its own. */
export interface SmallDisk {
  /** Keeps it full for so many milliseconds, whatever is deleted meanwhile. */
  fill(milliseconds: number): Promise<void>;
  remove(): void;
}

/** One in memory, at `folder`, which is made. Throws a `UserError`. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk {
  mkdirSync(folder);
  must('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
  const ballast = join(folder, 'ballast');
  return {
    async fill(milliseconds) {
      const until = Date.now() + milliseconds;
      const file = openSync(ballast, 'w');
      while (Date.now() < until) {
        while (hasRoomFor(file)) continue;
        await sleep(20);
      }
      closeSync(file);
      unlinkSync(ballast);
    },
    remove: () => must('umount', folder),
  };
}

const BLOCK = Buffer.alloc(4096, 1);

/** Writes a block, where there is room for one. */
function hasRoomFor(file: number): boolean {
  try {
    return writeSync(file, BLOCK) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

function must(program: string, ...words: string[]): void {
  const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0)
    throw new UserError(`this bench takes root's rights: ${program}: ${error?.message ?? stderr.trim()}`);
}
