import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'vitest';
import { linkemu, quicheServer } from '../../tools/setup/rust.mjs';
import { runInFolder } from './support/commands.js';
import { expectTranscript } from './support/transcript.js';

/** What needs Rust; `npm test` builds both. */
const programs = { linkemu, 'voxel-quiche': quicheServer };
const built = Object.fromEntries(
  Object.entries(programs).map(([name, path]) => [name, existsSync(path) ? path : undefined]),
);
for (const [name, path] of Object.entries(built))
  if (path === undefined) console.warn(`left out: the messages of ${name}, which is not built here`);

test('commands say in one line what is wrong with their input', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: takenPort } = server.address() as AddressInfo;
  try {
    await expectTranscript('commands.txt', (prompt) => runInFolder(prompt, { programs: built, takenPort }));
  } finally {
    server.close();
  }
}, 600_000);
