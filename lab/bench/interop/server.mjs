// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const PATIENCE_MS = 5_000;
const LOOK_MS = 50;

/**
 * A server on free ports whose log can be looked at.
 * @param {string} folder @param {string} program
 */
export async function startLoggedServer(folder, program) {
  const args = [folder, '--http-port', '0', '--quic-port', '0', '--log-format', 'json'];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  /** @type {Record<string, unknown>[]} */
  const log = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.push(/** @type {Record<string, unknown>} */ (JSON.parse(line)));
  });
  const exited = once(child, 'exit');
  const [first] = await once(createInterface({ input: child.stdout }), 'line');
  return {
    ready: /** @type {import('../../../tools/start/server.mjs').Ready} */ (JSON.parse(String(first))),
    /** Whether there is such a line, or comes soon. @param {(line: Record<string, unknown>) => boolean} matches */
    async logs(matches) {
      for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
        if (log.some(matches)) return true;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
      return log.some(matches);
    },
    async stop() {
      if (child.exitCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}
