import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Browser, Page } from 'puppeteer-core';
import { findChrome } from '../../tools/setup/chrome.mjs';
import { freePort } from '../../tools/setup/free-port.mjs';
import { ensureBuild, ensureNodePackages } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { ensurePython } from '../../tools/setup/python.mjs';
import { launchChrome } from '../../tools/start/headless.mjs';
import { blocksOf, type Block } from '../../tools/walk/blocks.mjs';
import { BASH, Walk, type Place, type Replacements } from '../../tools/walk/walk.mjs';
import { prepareClip } from '../browser/support/clip.js';
import { readConfig } from '../../lab/trials/config.js';
import { checkoutIn } from './support/checkout.js';
import { cutSample } from './support/film.js';
import { keepPicture, keepScreenshot } from './support/pictures.js';

const TUTORIALS = join(root, 'docs/tutorials');
/** Blocks that take minutes or install something, too. */
const isFull = process.env.VOXEL_TUTORIALS === 'full';

/** Ten minutes, and hours for what the long blocks prepare and install. */
const PATIENCE = isFull ? 7_200_000 : 600_000;

let folder: string;
let checkout: string;
let browser: Browser;

// What a checkout has installed is complete before others point at it: they would install into it from their own folder.
beforeAll(async () => {
  await ensureNodePackages();
  await ensurePython('run');
  await ensureBuild();
  browser = await launchChrome(findChrome()!);
}, 600_000);
afterAll(() => browser.close());

const stops: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voxel-tutorial-'));
  stops.push(() => rmSync(folder, { recursive: true }));
  checkout = checkoutIn(folder);
}, PATIENCE);
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
}, PATIENCE);

function blocksIn(name: string): Block[] {
  return blocksOf(readFileSync(join(TUTORIALS, `${name}.md`), 'utf8'));
}

/** A terminal on this machine. `variables`: of the environment, beside this process' own. */
const terminal =
  (variables: NodeJS.ProcessEnv): Place =>
  (script, { folder, path }) => ({
    command: 'bash',
    args: [...BASH, script],
    cwd: folder,
    env: {
      ...process.env,
      ...variables,
      PATH: path,
      PYTHONUNBUFFERED: '1',
      FORCE_COLOR: undefined,
      VITEST: undefined,
    },
  });

/** Follows the tutorial from its first block to its last. */
async function walkThrough(name: string, replacements: Replacements, variables: NodeJS.ProcessEnv = {}): Promise<Walk> {
  const path = [join(root, '.venv/bin'), process.env.PATH].join(delimiter);
  const walk = new Walk(terminal(variables), { folder: checkout, path, replacements });
  stops.push(() => walk.end());
  for (const block of blocksIn(name)) if (block.use !== 'long' || isFull) await walk.follow(block);
  return walk;
}

/** How often a page is loaded: all of a short film may have come before the session was open. */
const LOADS = 6;

/** Opens a page and waits until its log has a line for a segment that came as `delivery`. */
async function openPage(url: string, delivery: string): Promise<Page> {
  const page = await browser.newPage();
  await page.setViewport({ width: 720, height: 560 });
  await page.goto(url);
  const line = `segment \\d+: ${delivery}`;
  for (let loads = 1; ; loads++) {
    try {
      await page.waitForFunction(
        (pattern) => new RegExp(pattern).test(document.querySelector('#log')?.textContent ?? ''),
        { timeout: 10_000 },
        line,
      );
      return page;
    } catch (error) {
      if (loads === LOADS) throw error;
      await page.reload();
    }
  }
}

/** Where nothing may be asked of a registry: the package comes from its file, dash.js from this checkout. */
const OFFLINE: Replacements = [
  ['npm install ./', 'npm install --offline --legacy-peer-deps ./'],
  ['npm install dashjs@5.2.1', `ln -s '${join(root, 'node_modules/dashjs')}' node_modules/dashjs`],
];

/** Its programs are those of this checkout. */
const PROGRAMS = ['. ~/voxel/bin/activate', ':'] as const;

const WALKS: Readonly<Record<string, () => Promise<void>>> = {
  async embed() {
    const [media, pages] = [await freePort(), await freePort()];
    // A few small seconds in place of a minute, prepared where nothing keeps them.
    if (!isFull) cutSample(join(checkout, 'film.mp4'), 8);
    const variables = isFull ? {} : { XDG_CACHE_HOME: join(folder, 'cache') };
    const replacements: Replacements = [
      [/^npm start$/gm, `npm start -- --port ${media}${isFull ? '' : ' --video film.mp4'}`],
      ['localhost:8080', `localhost:${media}`],
      ['http.server 8000', `http.server --bind 127.0.0.1 ${pages}`],
      ...(isFull ? [] : OFFLINE),
    ];
    await walkThrough('embed', replacements, variables);
    const page = await openPage(`http://127.0.0.1:${pages}/`, 'datagrams');
    await page.waitForFunction(() => document.querySelector('video')!.currentTime > 2);
    await keepScreenshot(page, 'docs/tutorials/embed.webp');
    await openPage(`http://127.0.0.1:${pages}/http.html`, 'http');
  },

  async prepare() {
    cutSample(join(checkout, 'film.mp4'), isFull ? 12 : 2);
    const port = await freePort();
    const walk = await walkThrough('prepare', [
      ['~/voxel', join(folder, 'environment')],
      ['voxel-serve media', `voxel-serve media --http-port ${port} --quic-port 0`],
      ['localhost:8080', `localhost:${port}`],
    ]);
    await keepPicture(browser, join(walk.folder, 'film.png'), 'docs/tutorials/prepare.webp');
  },

  async ladder() {
    const port = await freePort();
    await walkThrough('ladder', [
      PROGRAMS,
      ['voxel-serve ladders', `voxel-serve ladders --http-port ${port} --quic-port 0`],
    ]);
    for (const folder of ['clear', 'cenc-1', 'keyless']) {
      const page = await openPage(`http://localhost:${port}/#${folder}`, 'datagrams');
      const log = await page.waitForFunction(() => {
        const text = document.querySelector('#log')!.textContent;
        return /^(the end|error.*)$/m.test(text) && text;
      });
      expect(await log.jsonValue(), folder).not.toMatch(/^error/m);
      await page.close();
    }
  },

  async deploy() {
    const media = await prepareClip(folder, { seconds: 10, segmentSeconds: 2 });
    cpSync(media, join(checkout, 'media/film'), { recursive: true });
    await walkThrough('deploy', [PROGRAMS, ['8443', String(await freePort())]]);
  },

  async trial() {
    const walk = await walkThrough('trial', [['sudo apt-get', ': sudo apt-get']]);
    expect(readFileSync(join(walk.folder, 'output/first/summary.csv'), 'utf8')).toContain('bola-e');
    // What it says is played by `npm run screenshots` alone; that it can be played is known here.
    expect(readConfig(join(walk.folder, 'my-trial.json')).systems).toHaveLength(2);
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(`file://${join(walk.folder, 'output/first/report.html')}`);
    await keepScreenshot(page, 'docs/tutorials/trial.webp');
  },

  async rule() {
    const walk = await walkThrough('rule', []);
    expect(readFileSync(join(walk.folder, 'output/half/summary.csv'), 'utf8')).toContain('half');
  },

  async lab() {
    // The same over fewer links and segments, and nothing asked of a registry.
    const small = ' --segments 10 --buffers 1';
    const replacements: Replacements = isFull
      ? []
      : [
          [/compare --rule my-rule\.js(?! --rule)/g, `$& --traces lte-like${small}`],
          [' --out hard', `${small} --out hard`],
        ];
    const walk = await walkThrough('lab', replacements, isFull ? {} : { npm_config_offline: 'true' });
    const outputOf = (out: string) => readFileSync(join(walk.folder, out, 'summary.csv'), 'utf8');
    expect(outputOf('compared')).toContain('my-rule');
    expect(outputOf('hard')).toContain('half');
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(`file://${join(walk.folder, 'compared/report.html')}`);
    await keepScreenshot(page, 'docs/tutorials/lab.webp');
  },
};

test('every tutorial is walked through here', () => {
  const names = readdirSync(TUTORIALS).filter((file) => file.endsWith('.md'));
  expect(names.sort()).toEqual(
    Object.keys(WALKS)
      .map((name) => `${name}.md`)
      .sort(),
  );
});

test.each(Object.entries(WALKS))(
  'docs/tutorials/%s.md: every command and every file as printed',
  (_, walk) => walk(),
  PATIENCE,
);
