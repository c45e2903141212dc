import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { packPackage, type Tarball } from '../../tools/package/consumer.mjs';
import { ensureBuild } from '../../tools/setup/node.mjs';
import { root } from '../../tools/setup/paths.mjs';
import { readManifest } from './support/consumer.js';

/** A reader's, in which there is nothing but the tarball, and npm's cache, empty too. */
const folder = mkdtempSync(join(tmpdir(), 'voxel-lab-'));
const reader = join(folder, 'reader');
let tarball: Tarball;

beforeAll(async () => {
  await ensureBuild();
  mkdirSync(reader);
  tarball = packPackage('voxel-lab', reader);
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true }));

const textOf = (file: string) => readFileSync(join(reader, file), 'utf8');

/** Types `npx ./voxel-lab-VERSION.tgz` and those words. */
function npx(...words: readonly string[]) {
  const { VITEST: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync('npx', ['--yes', `./${basename(tarball.path)}`, ...words], {
    ...{ cwd: reader, encoding: 'utf8' },
    env: { ...env, npm_config_cache: join(folder, 'cache'), npm_config_offline: 'true' },
  });
  return { status, stdout, stderr };
}

test('voxel-lab depends on nothing, and its tarball has the programs, the licence, and nothing of the sources', () => {
  const manifest = readManifest('dist/lab');
  expect(Object.keys(manifest).filter((field) => /dependencies/i.test(field))).toEqual([]);
  expect([...tarball.files].sort()).toEqual(['LICENSE', 'README.md', 'package.json', 'voxel-lab.js', 'worker.mjs']);
  for (const file of ['voxel-lab.js', 'worker.mjs']) {
    const imported = [...readFileSync(join(root, 'dist/lab', file), 'utf8').matchAll(/^import .* from "(.*)";$/gm)];
    expect(imported.map(([, name]) => name).filter((name) => !name!.startsWith('node:'))).toEqual([]);
  }
});

test('publint finds nothing to say about voxel-lab', async () => {
  const { messages } = await publint({ pkgDir: join(root, 'dist/lab'), strict: true });
  expect(messages.map((message) => formatMessage(message, readManifest('dist/lab')))).toEqual([]);
});

/** The rules of the README, which are played as printed. */
const README_RULE = /^```js\n(export default[^]*?)^```/m.exec(
  readFileSync(join(root, 'packages/lab/README.md'), 'utf8'),
)![1]!;

const HALF = `module.exports = class {
  choose({ options, throughput = 0, segmentDuration }) {
    const allowed = (throughput * segmentDuration) / 16;
    return { option: options.findLast(({ bytes }) => bytes <= allowed) ?? options[0], delay: 0 };
  }
};`;

const SMALL = ['--traces', '3g-like,lte-like', '--shifts', '3', '--buffers', '1', '--segments', '5'];

describe('from an empty folder, npx voxel-lab', () => {
  it('says which version it is, and what it does', () => {
    expect(npx('--version').stdout.trim()).toBe(readManifest('dist/lab')['version']);
    expect(npx('--help').stdout).toContain('voxel-lab compare --rule FILE');
    expect(npx('compare', '--help').stdout).toContain('--shard I/N');
  });

  it('compares rules of both kinds with ours, and comes to the same in two shards', () => {
    writeFileSync(join(reader, 'my-rule.js'), README_RULE);
    writeFileSync(join(reader, 'half.cjs'), HALF);
    const words = ['compare', '--rule', 'my-rule.js', '--rule', 'half.cjs', ...SMALL];
    // Threads, too.
    const { status, stdout, stderr } = npx(...words, '--jobs', '2');
    expect([status, stderr]).toEqual([0, expect.stringContaining('see compared/report.html')]);
    for (const rule of ['my-rule', 'half', 'abr-star', 'dynamic', 'bola-e']) expect(stdout).toContain(` ${rule} `);
    expect(textOf('compared/report.html')).toContain('<polyline');
    expect(textOf('compared/report.html')).not.toMatch(/NaN|undefined|https?:/);

    for (const shard of ['1/2', '2/2']) expect(npx(...words, '--shard', shard, '--out', shard[0]!).status).toBe(0);
    mkdirSync(join(reader, 'both'));
    const lines = ['1', '2'].map((out) => textOf(`${out}/sessions.jsonl`));
    writeFileSync(join(reader, 'both/sessions.jsonl'), lines.join(''));
    expect(npx(...words, '--report', '--out', 'both').stdout).toBe(stdout);
    for (const file of ['sessions.jsonl', 'summary.csv', 'report.html'])
      expect(textOf(`both/${file}`)).toBe(textOf(`compared/${file}`));
  }, 600_000);

  it.each([
    [
      'throws',
      'export default { choose() { throw new Error("not today"); } };',
      1,
      /threw Error: not today \(line 1\)/,
    ],
    ['is-none', 'export const rule = 1;', 2, /has no rule: expected/],
    ['is-wrong', 'export default { choose: ({ options }) => options[0] };', 1, /must return { option, delay }/],
    ['is-broken', 'export default {', 2, /cannot be loaded: SyntaxError: /],
  ])('says in one line that a rule %s', (name, source, code, message) => {
    writeFileSync(join(reader, `${name}.mjs`), source);
    // What was installed is what was built: without npm it does not take as long.
    const words = ['compare', '--rule', `${name}.mjs`, ...SMALL, '--out', name];
    const { status, stderr } = spawnSync('node', [join(root, 'dist/lab/voxel-lab.js'), ...words], {
      ...{ cwd: reader, encoding: 'utf8' },
    });
    expect([status, stderr]).toEqual([code, expect.stringMatching(/^error: .*\n$/)]);
    expect(stderr).toMatch(message);
  });
});
