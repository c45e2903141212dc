import { existsSync } from 'node:fs';
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
  await expectTranscript('commands.txt', (prompt) => runInFolder(prompt, built));
}, 600_000);
