import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { text } from 'node:stream/consumers';
import { test } from 'vitest';
import { venvProgram } from '../../tools/setup/paths.mjs';
import { quicheServer } from '../../tools/setup/rust.mjs';
import { startServer } from '../../tools/start/server.mjs';
import { expectTranscript, type Prompt } from './support/transcript.js';

/** Sends a request as it is written; status and body of the answer. */
async function answerOf(port: number, { text: line, fields }: Prompt): Promise<string> {
  const headers = { host: `127.0.0.1:${port}`, connection: 'close', ...Object.fromEntries(fields) };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(port, '127.0.0.1');
  socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n`);
  const answer = await text(socket);
  const [, status, body] = /^HTTP\/1\.1 (\d+) [^]*?\r\n\r\n([^]*)/.exec(answer)!;
  return `${status!}: ${body!.trim()}`;
}

test.for([
  ['voxel-serve', venvProgram('voxel-serve')],
  ['voxel-quiche', quicheServer],
] as const)('%s says over HTTP what is wrong with a request', async ([, program], context) => {
  if (!existsSync(program)) context.skip('it is not built here');
  const folder = mkdtempSync(join(tmpdir(), 'voxel-messages-'));
  writeFileSync(join(folder, 'clip.mp4'), '0123456789');
  const server = await startServer([folder, '--http-port', '0', '--quic-port', '0'], program);
  try {
    await expectTranscript('http.txt', (prompt) => answerOf(Number(new URL(server.ready.url).port), prompt));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
});
