import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { findChrome } from '../../../tools/setup/chrome.mjs';
import { ensureBuild } from '../../../tools/setup/node.mjs';
import { launchChrome } from '../../../tools/start/headless.mjs';
import type { PlayerServer } from './player-page.js';

declare module 'vitest' {
  interface TestContext {
    /** Its own, where the tests around it have `openForEach`. */
    page: Page;
  }
}

/** Opens a page for each of the tests around it, which may go on beside each other, and closes it after the test. */
export function openForEach(open: () => Promise<Page>): void {
  beforeEach(async (context) => {
    const page = await open();
    context.page = page;
    return () => page.close();
  });
}

/** What the tests of a file or of a block share. */
export interface PlayerStage {
  /** Emptied at the end. */
  readonly folder: string;
  readonly server: PlayerServer;
  readonly browser: Browser;
}

/** Sets one up before the tests around it and takes it down after them; there is nothing in it until then. */
export function playerStage(
  serve: (folder: string) => Promise<PlayerServer>,
  launch: () => Promise<Browser> = () => launchChrome(findChrome()!),
): PlayerStage {
  let folder: string;
  let server: PlayerServer;
  let browser: Browser;

  beforeAll(async () => {
    await ensureBuild();
    folder = mkdtempSync(join(tmpdir(), 'voxel-stage-'));
    server = await serve(folder);
    browser = await launch();
  }, 600_000);

  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  return {
    get folder() {
      return folder;
    },
    get server() {
      return server;
    },
    get browser() {
      return browser;
    },
  };
}
