import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { initSegment, mediaSegment, sample } from '../repair/fmp4-builder.js';
import { avcc, slice } from '../repair/h264-builder.js';
import { installPackages, readManifest, type Consumer } from './support/consumer.js';

let consumer: Consumer;

beforeAll(async () => {
  await ensureBuild();
  consumer = installPackages('voxel-repair');
}, 600_000);

afterAll(() => consumer.remove());

test('voxel-repair depends on nothing', () => {
  const manifest = readManifest('dist/repair');
  expect(Object.keys(manifest).filter((field) => /dependencies/i.test(field))).toEqual([]);
});

test('publint finds nothing to say about voxel-repair', async () => {
  const { messages } = await publint({ pkgDir: join(root, 'dist/repair'), strict: true });
  expect(messages.map((message) => formatMessage(message, readManifest('dist/repair')))).toEqual([]);
});

test('its tarball has the scripts with types and source maps, the licence, and nothing of the sources', () => {
  const built = ['', 'umd/'].flatMap((folder) => ['js', 'js.map', 'd.ts'].map((end) => `${folder}voxel-repair.${end}`));
  expect([...consumer.files].sort()).toEqual(
    [...built, 'LICENSE', 'README.md', 'package.json', 'umd/package.json'].sort(),
  );
});

/** Repairs a segment whose second frame has lost its end; prints what became of the frames. */
const USE = `
const segment = Uint8Array.from(require('node:fs').readFileSync('segment.mp4'));
const repairer = createRepairer(Uint8Array.from(require('node:fs').readFileSync('init.mp4')));
const [range] = repairer.unreliableRanges(segment);
const { bytes, frames } = repairer.repair(segment, [{ start: range.end - 100, end: range.end }]);
console.log(bytes.length === segment.length, frames.map(({ type, repairedSlices }) => type + repairedSlices).join(' '));
`;

it.each([
  [
    'imported',
    'use.mjs',
    "import { createRequire } from 'node:module'; import { createRepairer } from 'voxel-repair';",
  ],
  ['required', 'use.cjs', "const { createRepairer } = require('voxel-repair');"],
])('can be %s in Node, and repairs there', (_, file, head) => {
  const frames = [sample([slice('I', 300)]), sample([slice('P', 300)])];
  writeFileSync(join(consumer.folder, 'init.mp4'), initSegment(avcc()));
  writeFileSync(join(consumer.folder, 'segment.mp4'), mediaSegment({ runs: [frames] }));
  const require = file.endsWith('.mjs') ? 'const require = createRequire(import.meta.url);' : '';
  consumer.write(file, `${head}${require}${USE}`);
  expect(consumer.run('node', file)).toBe('true I0 P1\n');
});

it('runs as a script, whose global has the exports', () => {
  const script = readFileSync(join(consumer.folder, 'node_modules/voxel-repair/umd/voxel-repair.js'), 'utf8');
  consumer.write(
    'script.cjs',
    `require('node:vm').runInThisContext(${JSON.stringify(script)});
    console.log(Object.keys(voxelRepair).sort().join());`,
  );
  expect(consumer.run('node', 'script.cjs')).toBe('RepairError,createRepairer\n');
});

/** The README's code, with what it takes for granted. */
function readmePage(): string {
  const code = [...readFileSync(join(root, 'packages/repair/README.md'), 'utf8').matchAll(/^```js\n([^]*?)^```/gm)];
  const given = ['init', 'segment'].map((name) => `declare const ${name}: Uint8Array<ArrayBuffer>;`);
  return [...given, 'declare const sourceBuffer: SourceBuffer;', ...code.map(([, text]) => text)].join('\n');
}

it('has types with which the code of its README compiles', () => {
  consumer.write('page.mts', readmePage());
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom'];
  expect(consumer.run('tsc', ...options, 'page.mts')).toBe('');
});
