import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChrome } from '../../../tools/setup/chrome.mjs';
import { ensureBuild } from '../../../tools/setup/node.mjs';
import { root, venvProgram } from '../../../tools/setup/paths.mjs';
import { canBuildQuiche, ensureQuicheServer } from '../../../tools/setup/rust.mjs';
import { launchChrome } from '../../../tools/start/headless.mjs';
import { prepareClip, run } from '../support/clip.js';
import { openPage, outcomeOf, servePlayerPageWith, startPlayer, type PlayerServer } from '../support/player-page.js';

const PLAYERS = 20;
const clip = { seconds: 120, segmentSeconds: 2, representations: '144p' } as const;
/** One segment, so that all players ask for more all the time. */
const options = { bufferSegments: 1 };
const BUILD_TIMEOUT_MS = 1_200_000;
/** A server looks at its files every ten seconds. */
const TIMEOUT_MS = 240_000;

let folder: string;
let media: string;
let browser: Browser;

beforeAll(async () => {
  await ensureBuild();
  folder = mkdtempSync(join(tmpdir(), 'rotation-'));
  media = await prepareClip(folder, clip);
  browser = await launchChrome(findChrome()!, ['--ignore-certificate-errors']);
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

const hangup = (server: PlayerServer): unknown => process.kill(server.pid, 'SIGHUP');

/** Another certificate takes the place of the given one, as ACME clients put it there. */
function replaceFiles(): void {
  const next = mkdtempSync(join(folder, 'next-'));
  run(venvProgram('python'), [join(root, 'lab/trials/certificate.py'), next, '127.0.0.1']);
  for (const name of ['certificate.pem', 'key.pem']) renameSync(join(next, name), join(folder, name));
}

const given = (): string[] => [
  ...['--host', '0.0.0.0', '--certificate', join(folder, 'certificate.pem'), '--key', join(folder, 'key.pem')],
];

function replaceAndHangUp(server: PlayerServer): void {
  replaceFiles();
  hangup(server);
}

/** How a certificate gives way to the next, and the server's options before. */
const ROTATIONS: [name: string, words: () => string[], rotate: (server: PlayerServer) => unknown][] = [
  ['a self-made certificate, on SIGHUP', () => [], hangup],
  ['a given certificate, on SIGHUP', given, replaceAndHangUp],
  ['a given certificate whose files change', given, replaceFiles],
];

/** Path of the program; undefined: the default. */
const SERVERS: [name: string, program: () => Promise<string | undefined>][] = [
  ['voxel-serve', () => Promise.resolve(undefined)],
  ['voxel-quiche', ensureQuicheServer],
];

describe.each(SERVERS)('while twenty players play from %s', (name, ensureProgram) => {
  if (name === 'voxel-quiche' && !canBuildQuiche()) {
    console.warn('left out: voxel-quiche needs cargo, cmake, c++ and libclang');
    it.skip('needs cargo, cmake, c++ and libclang');
    return;
  }
  let program: string | undefined;
  beforeAll(async () => {
    program = await ensureProgram();
  }, BUILD_TIMEOUT_MS);

  it.each(ROTATIONS)(
    '%s gives way to another: none stops, and the next player uses the new one',
    async (_, words, rotate) => {
      if (words === given) replaceFiles();
      const server = await servePlayerPageWith(program, folder, media, ...words());
      const page = await openPage(browser, server.ready.url.replace('0.0.0.0', '127.0.0.1'));
      try {
        await Promise.all(Array.from({ length: PLAYERS }, () => startPlayer(page, options)));
        await allPlayTo(page, PLAYERS, 1);
        const before = await announcedHash(page);
        rotate(server);
        const after = await anotherHash(page, before);
        if (words === given) expect(await hashOverTls(page)).toBe(after);
        const segments = await segmentsOf(page);

        await startPlayer(page, options);
        await allPlayTo(page, PLAYERS + 1, 2);
        await page.waitForFunction(
          (before) =>
            before.every((count, player) => window.players[player]!.handle!.statistics().segments.length > count + 3),
          { timeout: TIMEOUT_MS },
          segments,
        );
        for (let player = 0; player <= PLAYERS; player++) {
          const { errors, sessions, statistics } = await outcomeOf(page, player);
          expect({ player, errors, sessions }).toMatchObject({ errors: [], sessions: [{ state: 'opened' }] });
          expect(statistics!.segments.at(-1)!.delivery).not.toBe('http');
        }
      } finally {
        await page.close();
        await server.stop();
      }
    },
    TIMEOUT_MS,
  );
});

/** Waits until the first `count` players have played so many seconds, or one has failed. */
async function allPlayTo(page: Page, count: number, seconds: number): Promise<void> {
  await page.waitForFunction(
    (count, seconds) => {
      const players = window.players.slice(0, count);
      return (
        players.some(({ errors }) => errors.length > 0) || players.every(({ video }) => video.currentTime > seconds)
      );
    },
    { polling: 200, timeout: TIMEOUT_MS },
    count,
    seconds,
  );
}

function segmentsOf(page: Page): Promise<number[]> {
  return page.evaluate(() => window.players.map(({ handle }) => handle!.statistics().segments.length));
}

function announcedHash(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const response = await fetch('/.well-known/voxel.json', { cache: 'no-store' });
    const { certificateHashes } = (await response.json()) as { certificateHashes: string[] };
    return certificateHashes[0]!;
  });
}

/** Waits until the server announces another. */
async function anotherHash(page: Page, before: string): Promise<string> {
  for (;;) {
    const hash = await announcedHash(page);
    if (hash !== before) return hash;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Of the certificate that a new TCP connection is shown. */
function hashOverTls(page: Page): Promise<string> {
  const { hostname, port } = new URL(page.url());
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      const { raw } = socket.getPeerX509Certificate()!;
      resolve(createHash('sha256').update(raw).digest('base64'));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
