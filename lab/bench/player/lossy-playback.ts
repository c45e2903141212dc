import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import {
  openPage,
  servePlayerPage,
  type PlayerServer,
  startPlayer,
} from '../../../test/browser/support/player-page.js';
import { ensureChrome } from '../../../tools/setup/chrome.mjs';
import { ensureBuild } from '../../../tools/setup/node.mjs';
import { launchChrome } from '../../../tools/start/headless.mjs';
import { prepareVideo } from '../../../tools/start/prepare.mjs';
import { startRelay } from '../../../tools/start/relay.mjs';

/** A server with the sample and a page that plays it, and a browser. */
export interface Stage {
  readonly browser: Browser;
  readonly server: PlayerServer;
}

export async function withStage<Result>(use: (stage: Stage) => Promise<Result>): Promise<Result> {
  await ensureBuild();
  const folder = mkdtempSync(join(tmpdir(), 'voxel-bench-'));
  const server = await servePlayerPage(folder, await prepareVideo({ video: undefined, duration: undefined }));
  try {
    const browser = await launchChrome(await ensureChrome());
    try {
      return await use({ browser, server });
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Starts to play on a page of its own, with that share of the server's packets lost; `use` sees the rest. */
export async function withLossyPlayback<Result>(
  { browser, server: { ready } }: Stage,
  { abr, lossPercent }: { readonly abr: 'dashjs' | 'abr-star'; readonly lossPercent: number },
  use: (page: Page) => Promise<Result>,
): Promise<Result> {
  const relay = await startRelay({ lossPercent, seed: 1 });
  relay.connect(ready.quicPort);
  const page = await openPage(browser, ready.url);
  try {
    const { certificateHashes } = ready;
    const endpoint = { url: `https://127.0.0.1:${relay.port}/voxel`, certificateHashes };
    await startPlayer(page, { abr, endpoint, bufferSegments: 3 });
    return await use(page);
  } finally {
    await page.close();
    relay.close();
  }
}
