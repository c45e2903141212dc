import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Parity } from '../../src/coding/symbols.js';
import type { ByteRange } from '../../src/manifest/byte-range.js';
import type { PageMessage, WorkerMessage } from '../../src/voxel-loader/messages.js';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { canBuildQuiche, ensureQuicheServer } from '../../tools/setup/rust.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { startRelay } from '../../tools/start/relay.mjs';
import { startServer } from '../../tools/start/server.mjs';

const FILE_BYTES = 1_500_000;
const content = randomBytes(FILE_BYTES);
const digest = createHash('sha256').update(content).digest('hex');
const RELIABLE_BYTES = 1000;

/** Of the quiche server where it is not built yet. */
const BUILD_TIMEOUT_MS = 1_200_000;

/** Path of the program; undefined: the default. */
const SERVERS: [name: string, program: () => Promise<string | undefined>][] = [
  ['voxel-serve', () => Promise.resolve(undefined)],
  ['voxel-quiche', ensureQuicheServer],
];

interface Wanted {
  readonly endpoint: { readonly url: string; readonly certificateHashes: readonly (readonly number[])[] };
  readonly unreliable: readonly ByteRange[];
  readonly parity: Parity | undefined;
  readonly bytes: number;
  readonly reliableBytes: number;
}

interface Outcome {
  /** SHA-256 in hexadecimal; undefined when the segment was rejected. */
  readonly digest?: string;
  readonly facts?: Record<string, unknown>;
  readonly code?: string;
}

/** Has the player's worker download the file as one segment, without recovery; for `page.evaluate`, so it holds all that it uses. */
async function downloadInWorker({ endpoint, unreliable, parity, bytes, reliableBytes }: Wanted): Promise<Outcome> {
  const worker = new Worker('/voxel-worker.js');
  const next = (...types: WorkerMessage['type'][]) =>
    new Promise<WorkerMessage>((resolve) => {
      const listen = ({ data }: MessageEvent<WorkerMessage>): void => {
        if (!types.includes(data.type)) return;
        worker.removeEventListener('message', listen);
        resolve(data);
      };
      worker.addEventListener('message', listen);
    });
  const post = (message: PageMessage): void => worker.postMessage(message);
  const opened = next('opened', 'closed');
  const certificateHashes = endpoint.certificateHashes.map((hash) => Uint8Array.from(hash));
  post({ type: 'open', session: 1, endpoint: { url: endpoint.url, certificateHashes } });
  const session = await opened;
  if (session.type === 'closed') throw new Error(session.error.message);
  const answered = next('delivered', 'rejected');
  post({
    type: 'download',
    id: 2,
    session: 1,
    after: undefined,
    request: {
      representation: 'none',
      target: '/media.bin',
      map: {
        range: { start: 0, end: bytes },
        reliable: [{ start: 0, end: reliableBytes }],
        unreliable,
        reliableBytes,
      },
      edition: 0,
      unreliableBytes: bytes - reliableBytes,
      delivery: 'datagrams',
      recovery: false,
      parity,
      headers: {},
    },
  });
  const answer = await answered;
  worker.terminate();
  if (answer.type === 'rejected') return { code: answer.error.code };
  if (answer.type !== 'delivered') throw new Error(answer.type);
  const { bytes: segment, bytesDecoded, bytesParity, bytesLost, bytesRepeated } = answer.delivered!;
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', segment));
  return {
    digest: Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    facts: { bytesDecoded, bytesParity, bytesLost, bytesRepeated },
  };
}

/** On a busy machine a full queue on the way to the worker loses datagrams as well, more at once than parity is for. */
const ATTEMPTS = 3;

let folder: string;
let browser: Browser;

beforeAll(async () => {
  await ensureBuild();
  folder = mkdtempSync(join(tmpdir(), 'voxel-parity-'));
  writeFileSync(join(folder, 'media.bin'), content);
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>test</title>');
  copyFileSync(join(root, 'dist/voxel-worker.js'), join(folder, 'voxel-worker.js'));
  browser = await launchChrome(findChrome()!);
}, 600_000);

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** The unreliable bytes as ranges of this length. */
function rangesOf(length: number): ByteRange[] {
  const ranges = [];
  for (let start = RELIABLE_BYTES; start < FILE_BYTES; start += length) {
    ranges.push({ start, end: Math.min(FILE_BYTES, start + length) });
  }
  return ranges;
}

describe.each(SERVERS)('%s, the worker and a link that loses 5 %% of the packets', (name, program) => {
  if (name === 'voxel-quiche' && !canBuildQuiche()) {
    console.warn('left out: voxel-quiche needs cargo, cmake, c++ and libclang');
    it.skip('needs cargo, cmake, c++ and libclang');
    return;
  }

  let page: Page;
  let endpoint: Wanted['endpoint'];

  beforeAll(async () => {
    const server = await startServer([folder, '--http-port', '0', '--quic-port', '0'], await program());
    const relay = await startRelay({ lossPercent: 5, seed: 7 });
    relay.connect(server.ready.quicPort);
    const hashes = server.ready.certificateHashes.map((hash) => [...Buffer.from(hash, 'base64')]);
    endpoint = { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes: hashes };
    page = await browser.newPage();
    await page.goto(server.ready.url);
    return async () => {
      await page.close();
      relay.close();
      await server.stop();
    };
  }, BUILD_TIMEOUT_MS);

  const download = (unreliable: readonly ByteRange[], parity: Parity | undefined): Promise<Outcome> =>
    page.evaluate(downloadInWorker, {
      endpoint,
      unreliable,
      parity,
      bytes: FILE_BYTES,
      reliableBytes: RELIABLE_BYTES,
    });

  it('leaves gaps without parity and without recovery', async () => {
    expect(await download(rangesOf(FILE_BYTES), undefined)).toEqual({ code: 'no-initialization' });
  });

  it.each<[string, number, Parity]>([
    ['across ranges', FILE_BYTES, { amounts: [22, 20], block: 128, symbol: 1150, always: true }],
    ['range by range, one symbol a datagram', 19_000, { amounts: [11], block: 18, always: true }],
  ])('fills all of them from parity %s', async (_what, length, parity) => {
    let outcome = await download(rangesOf(length), parity);
    for (let attempt = 1; attempt < ATTEMPTS && outcome.code; attempt++)
      outcome = await download(rangesOf(length), parity);
    const { digest: received, facts, code } = outcome;
    expect(code).toBeUndefined();
    expect(facts).toMatchObject({ bytesLost: 0, bytesRepeated: 0 });
    expect(facts!.bytesDecoded).toBeGreaterThan(0);
    expect(facts!.bytesParity).toBeGreaterThan(0);
    expect(received).toBe(digest);
  });
});
