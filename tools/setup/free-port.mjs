// @ts-check
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give to whoever asks for any: nobody gets it by chance before a program that is told of it. */
const PORTS = /** @type {const} */ ([20_000, 32_000]);

/** For programs that take no port 0. @returns {Promise<number>} a port of 127.0.0.1 that is free now */
export async function freePort() {
  for (;;) {
    const port = randomInt(...PORTS);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
