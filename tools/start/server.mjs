// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { venvProgram } from '../setup/paths.mjs';
import { UserError } from '../setup/process.mjs';

/**
 * The line that a server prints when it is ready.
 * @typedef {{ url: string, quicPort: number, endpoint: string, certificateHashes: string[], metrics: string | null }} Ready
 */

/**
 * Starts a server and waits until it answers.
 * @param {string[]} args @param {string} [program] voxel-serve, or voxel-quiche, which has the same options and ready line
 * @returns {Promise<{ ready: Ready, pid: number, stop(): Promise<void>, exited: Promise<string | undefined> }>}
 */
export async function startServer(args, program = venvProgram('voxel-serve')) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  /** The server's latest words, to be shown if it ends before its time. @type {string[]} */
  const log = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line) > 20 && log.shift());
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), exited]);
  if (typeof first[0] !== 'string')
    throw new UserError(
      log.at(-1)?.replace(/^voxel-(serve|quiche): /, '') ?? 'the server did not start',
      child.exitCode ?? 1,
    );
  return {
    ready: /** @type {Ready} */ (JSON.parse(first[0])),
    pid: /** @type {number} */ (child.pid),
    exited: exited.then(() => log.at(-1)),
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}
