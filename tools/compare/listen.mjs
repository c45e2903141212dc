// @ts-check
import { once } from 'node:events';
import { createServer } from 'node:net';
import { UserError } from '../setup/process.mjs';

/** On loopback. Throws a `UserError` where the port cannot be had. @param {import('node:net').Server} server @param {number} port 0: any that is free */
export async function listen(server, port) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((/** @type {unknown} */ error) => {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const reason = code === 'EADDRINUSE' ? 'it is in use' : message;
    throw new UserError(`cannot listen on port ${port}: ${reason} (--port takes another)`);
  });
}

/** Throws a `UserError` where the port cannot be had now. @param {number} port */
export async function checkPort(port) {
  const server = createServer();
  await listen(server, port);
  await new Promise((resolve) => server.close(resolve));
}
