import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { installPackages, readManifest, type Consumer } from './support/consumer.js';

let consumer: Consumer;

beforeAll(async () => {
  await ensureBuild();
  consumer = installPackages('voxel-dash');
}, 600_000);

afterAll(() => consumer.remove());

test('the package needs nothing at run time but the page’s dash.js or hls.js', () => {
  const { dependencies, peerDependencies } = readManifest();
  expect(dependencies).toBeUndefined();
  expect(Object.keys(peerDependencies as object)).toEqual(['dashjs', 'hls.js']);
});

test('publint finds nothing to say', async () => {
  const { messages } = await publint({ pkgDir: root, strict: true });
  const manifest = readManifest();
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
});

test('the tarball has every file of the exports, each script’s source map, the licence, and nothing of the sources', () => {
  const scripts = [
    'voxel-dash',
    'voxel-dash-live',
    'voxel-dash-lab',
    'voxel-dash-full',
    'voxel-hls',
    'voxel-video',
  ].flatMap((name) => [name, `umd/${name}`]);
  // The old name's script has the laboratory's map.
  const built = scripts
    .flatMap((name) => ['js', 'js.map', 'd.ts'].map((ending) => `dist/${name}.${ending}`))
    .filter((file) => file !== 'dist/umd/voxel-dash-full.js.map');
  const parts = ['voxel-removal', 'voxel-paths', 'voxel-following', 'voxel-hls-live']
    .flatMap((name) => [name, `umd/${name}`])
    .flatMap((name) => [`dist/${name}.js`, `dist/${name}.js.map`]);
  const rest = ['LICENSE', 'README.md', 'package.json', 'dist/umd/package.json', 'dist/voxel-worker.js'];
  expect([...consumer.files].sort()).toEqual([...built, ...parts, ...rest].sort());
});

/** Bytes of the tarball, source maps and types included. */
const TARBALL_LIMIT = 3_700_000;

test(`what is downloaded to install it stays below ${TARBALL_LIMIT} bytes`, () => {
  expect(consumer.bytes).toBeLessThanOrEqual(TARBALL_LIMIT);
});

test('source maps hold the sources', () => {
  const map = JSON.parse(readFileSync(join(root, 'dist/voxel-dash.js.map'), 'utf8')) as {
    sources: string[];
    sourcesContent: (string | null)[];
  };
  expect(map.sources.some((source) => source.endsWith('player/attach.ts'))).toBe(true);
  expect(map.sourcesContent.every((content) => content !== null)).toBe(true);
});

const ENTRIES = {
  'voxel-dash': 'attachVoxel',
  'voxel-dash/live': 'attachVoxel',
  'voxel-dash/lab': 'attachVoxel',
  'voxel-dash/full': 'attachVoxel',
  'voxel-dash/hls': 'attachVoxelHls',
  'voxel-dash/element': 'defineVoxelVideo',
};

describe.each(Object.entries(ENTRIES))('in Node, %s', (entry, name) => {
  it('can be imported', () => {
    consumer.write('import.mjs', `import * as entry from '${entry}'; console.log(typeof entry.${name});`);
    expect(consumer.run('node', 'import.mjs')).toBe('function\n');
  });
});

// The element's script defines the element, which takes a page.
test.each([
  ['voxel-dash', 'attachVoxel'],
  ['voxel-dash/live', 'attachVoxel'],
  ['voxel-dash/lab', 'attachVoxel'],
  ['voxel-dash/full', 'attachVoxel'],
  ['voxel-dash/hls', 'attachVoxelHls'],
])('in Node, %s can be required', (entry, name) => {
  consumer.write('require.cjs', `console.log(typeof require('${entry}').${name});`);
  expect(consumer.run('node', 'require.cjs')).toBe('function\n');
});

const PAGE = `
import * as dashjs from 'dashjs';
import { attachVoxel, type VoxelHandle } from 'voxel-dash';
import { attachVoxel as attachFull } from 'voxel-dash/full';
import { attachVoxel as attachAny } from 'voxel-dash/lab';
import { attachVoxel as attachLive, liveClock, measureLatency } from 'voxel-dash/live';
import { defineVoxelVideo } from 'voxel-dash/element';
import Hls from 'hls.js';
import { attachVoxelHls } from 'voxel-dash/hls';

const player = dashjs.MediaPlayer().create();
const handle: VoxelHandle = attachVoxel(player, { abr: 'abr-star', bufferSegments: 3 });
handle.on('fallback', ({ code }) => console.log(code.length));
attachAny(dashjs.MediaPlayer().create(), { abr: 'mpc', strategy: 'hollywood' });
attachFull(dashjs.MediaPlayer().create(), { abr: 'mpc' });
attachLive(player, { paths: [{ url: 'https://media.example/voxel' }] }).statistics().live?.rate;
measureLatency(document.createElement('video'), liveClock(player)).stop();
// @ts-expect-error a rival's name is for the laboratory's build
attachLive(player, { abr: 'mpc' });
// @ts-expect-error a rival's name is for the laboratory's build
attachVoxel(player, { abr: 'mpc' });
defineVoxelVideo(dashjs);
document.createElement('voxel-video').voxel?.detach();
document.createElement('voxel-video').textTracks.getTrackById('1');
attachVoxelHls(new Hls(), { abr: 'hlsjs' }).statistics();
attachVoxelHls(new Hls(), { refetch: false });
`;

describe('types', () => {
  it.each([
    ['an ES module', 'page.mts', ['--module', 'nodenext']],
    ['a CommonJS module', 'page.cts', ['--module', 'nodenext']],
    ['a bundler', 'page.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ])('fit dash.js and hls.js for %s', (_, file, options) => {
    consumer.write(file, PAGE);
    const common = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom'];
    // dash.js' own declarations do not pass.
    expect(consumer.run('tsc', ...common, '--skipLibCheck', ...options, file)).toBe('');
  });
});

/** All entries that have types, in one program; dash.js and hls.js are not in it: their own declarations do not pass. */
const ALL_ENTRIES = `
${Object.keys(ENTRIES)
  .map((entry, index) => `import * as entry${index} from '${entry}';`)
  .join('\n')}
import { VoxelVideoElement } from 'voxel-dash/element';

console.log(${Object.keys(ENTRIES)
  .map((_, index) => `entry${index}`)
  .join()});
const element: VoxelVideoElement = document.createElement('voxel-video');
element.voxel?.detach();
`;

describe('the declarations of all entries together', () => {
  it.each([
    ['an ES module', 'all.mts'],
    ['a CommonJS module', 'all.cts'],
  ])('pass the compiler whole in %s, with nothing declared twice', (_, file) => {
    consumer.write(file, ALL_ENTRIES);
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom', '--module', 'nodenext'];
    expect(consumer.run('tsc', ...options, '--skipLibCheck', 'false', file)).toBe('');
  });

  it('have the element in its own entry alone', () => {
    consumer.write('plain.mts', `import 'voxel-dash';\ndocument.createElement('voxel-video').voxel;\n`);
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom', '--module', 'nodenext'];
    expect(consumer.run('tsc', ...options, 'plain.mts')).toContain("Property 'voxel' does not exist");
  });
});

test('a bundler builds a page of it that has one dash.js and one plugin', async () => {
  consumer.write('index.html', '<script type="module" src="page.js"></script>');
  consumer.write(
    'page.js',
    `import { MediaPlayer } from 'dashjs';
     import { attachVoxel } from 'voxel-dash';
     import { defineVoxelVideo } from 'voxel-dash/element';
     defineVoxelVideo({ MediaPlayer });
     attachVoxel(MediaPlayer().create());`,
  );
  const result = await build({
    root: consumer.folder,
    configFile: false,
    logLevel: 'silent',
    build: { write: false, chunkSizeWarningLimit: Infinity },
  });
  const { output } = [result].flat()[0] as { output: { type: string; fileName: string; code?: string }[] };
  const code = output.map((file) => file.code ?? '').join('\n');
  expect(code.split('urn:voxel-dash:index:2')).toHaveLength(2);
  expect(code.split('MediaPlayer not initialized')).toHaveLength(2);
  // What the worker loads is copied beside the page's script.
  const assets = output
    .filter(({ type }) => type === 'asset')
    .map(({ fileName }) => fileName.replace(/-.{8}\.js$/, ''));
  expect(assets).toEqual(expect.arrayContaining(['assets/voxel-removal', 'assets/voxel-paths']));
});
