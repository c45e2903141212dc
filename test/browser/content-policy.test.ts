import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { beforeEach, expect, it } from 'vitest';
import type { VoxelOptions } from '../../player/index.js';
import { prepareClip } from './support/clip.js';
import { outcomeOf, playToEnd, servePlayerPage, startPlayer } from './support/player-page.js';
import { playerStage } from './support/player-stage.js';

const clip = { seconds: 10, segmentSeconds: 2 };

const SCRIPTS = '<script src="/dashjs/dash.all.min.js"></script><script src="/dist/umd/voxel-dash.js"></script>';

/** As docs/EMBEDDING.md has it, for a worker from its file. */
const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'worker-src': "'self'",
  'media-src': 'blob:',
  'connect-src': "'self' https://127.0.0.1:* https://localhost:* 'unsafe-webtransport-hashes'",
  'require-trusted-types-for': "'script'",
  'trusted-types': 'voxel-dash',
};

/** And with one thing changed. */
const PAGES = {
  file: {},
  blob: { 'worker-src': 'blob:' },
  'no-server': { 'worker-src': 'blob:', 'connect-src': "'self'" },
  'no-trusted-type': { 'worker-src': 'blob:', 'trusted-types': "'none'" },
} satisfies Record<string, Partial<typeof POLICY>>;

let page: Page;

const stage = playerStage(async (folder) => {
  const pages = join(folder, 'pages');
  mkdirSync(pages);
  for (const [name, changes] of Object.entries(PAGES)) writeFileSync(join(pages, `${name}.html`), pageWith(changes));
  return servePlayerPage(folder, await prepareClip(folder, clip), '--mount', `/pages=${pages}`);
});

function pageWith(changes: Partial<typeof POLICY>): string {
  const policy = Object.entries({ ...POLICY, ...changes }).map((directive) => directive.join(' '));
  return `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">${SCRIPTS}`;
}

beforeEach(async () => {
  page = await stage.browser.newPage();
  await page.evaluateOnNewDocument(() => {
    const violations = (window.violations = [] as string[]);
    document.addEventListener('securitypolicyviolation', (event) =>
      violations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`),
    );
  });
  return () => page.close();
});

declare global {
  interface Window {
    violations: string[];
  }
}

/** Plays the clip on that page to its end. */
async function play(name: keyof typeof PAGES, options: VoxelOptions = {}) {
  await page.goto(new URL(`/pages/${name}.html`, stage.server.ready.url).href);
  await startPlayer(page, { bufferSegments: 1, ...options });
  await page.waitForFunction(() => window.players[0]!.sessions.length > 0, { timeout: 60_000, polling: 50 });
  await playToEnd(page);
  const { errors, ended, sessions, statistics } = await outcomeOf(page);
  expect({ errors, ended }).toEqual({ errors: [], ended: true });
  const violations = await page.evaluate(() => window.violations);
  return { sessions, violations, deliveries: new Set(statistics!.segments.map(({ delivery }) => delivery)) };
}

it('plays with the worker from its file under the policy of the documentation', async () => {
  const { sessions, deliveries, violations } = await play('file', { workerUrl: '/dist/voxel-worker.js' });
  expect(violations).toEqual([]);
  expect(sessions).toMatchObject([{ state: 'opened', thread: 'worker' }]);
  expect([...deliveries]).not.toEqual(['http']);
});

it('plays with the worker from a Blob URL where the policy allows that', async () => {
  const { sessions, violations } = await play('blob');
  expect(violations).toEqual([]);
  expect(sessions).toMatchObject([{ state: 'opened', thread: 'worker' }]);
});

it.each([
  ['the worker is not where the page says', 'file', { workerUrl: '/missing.js' }, '/missing.js'],
  ['the policy does not allow a Blob worker', 'file', {}, 'worker-src blob:'],
  ['the policy does not allow the Trusted Types policy', 'no-trusted-type', {}, 'trusted-types voxel-dash'],
] as const)('plays over HTTP and says so once where %s', async (_what, name, options, reason) => {
  const { sessions, deliveries } = await play(name, options);
  expect(sessions).toMatchObject([{ state: 'failed', code: 'unsupported' }]);
  expect(sessions[0]).toHaveProperty('message', expect.stringContaining(reason));
  expect([...deliveries]).toEqual(['http']);
});

it('plays over HTTP where the policy does not allow the endpoint, and says why', async () => {
  const { sessions, deliveries } = await play('no-server');
  expect(sessions[0]).toMatchObject({ state: 'failed', code: 'session-failed' });
  expect(sessions[0]).toHaveProperty('message', expect.stringContaining('Content Security Policy'));
  expect([...deliveries]).toEqual(['http']);
});
