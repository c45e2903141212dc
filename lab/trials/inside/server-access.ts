// How a browser in the client's network comes to the server in the other one.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'puppeteer-core';
import { launchChrome } from '../../../tools/start/headless.mjs';
import { PORTS, serverAddress } from '../addresses.js';
import { FROM_ANYWHERE } from './page-server.js';

/** How long voxel-serve may take to answer. */
const SERVER_PATIENCE_MS = 30_000;
const POLLING_MS = 100;

/** Looks at the file system, not at the network: the link's trace begins with its first packet. */
export async function untilServerAnswers(file: string): Promise<void> {
  const deadline = Date.now() + SERVER_PATIENCE_MS;
  while (!readFileSync(file, { encoding: 'utf8', flag: 'a+' }).includes('\n')) {
    if (Date.now() > deadline) throw new Error('the server does not answer');
    await sleep(POLLING_MS);
  }
}

/** With QUIC from the first request on: Chromium would otherwise learn of it from an answer over TCP. */
export function launchWithQuic(
  { chrome, spki }: { readonly chrome: string; readonly spki: string },
  paths = 1,
): Promise<Browser> {
  const servers = Array.from({ length: paths }, (_, path) => `${serverAddress(path)}:${PORTS.quic}`);
  const quic = `--origin-to-force-quic-on=${servers.join(',')}`;
  return launchChrome(chrome, [quic, FROM_ANYWHERE, `--ignore-certificate-errors-spki-list=${spki}`]);
}
