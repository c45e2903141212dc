import { expect, test } from 'vitest';
import { UserError } from '../setup/process.mjs';
import { check, contentProblems, report } from './artefact.mjs';
import { publishingCommands, publishingProblems } from './publishing.mjs';
import { releaseTable } from './table.mjs';

test('a check passes or has a line for everything that is wrong, also where it throws', async () => {
  const of = report('/somewhere/a.tgz');
  expect(await check(of, 'contents', () => [])).toBe(true);
  expect(await check(of, 'licence', () => ['no licence', 'no text'])).toBe(false);
  expect(await check(of, 'import', () => Promise.reject(new UserError('node failed')))).toBe(false);
  expect(of).toEqual({
    ...{ name: 'a.tgz', passed: ['contents'], leftOut: [] },
    failed: ['licence: no licence', 'licence: no text', 'import: node failed'],
  });
});

test('the table has a line for each artefact, then what was left out and what failed, then the sum', () => {
  const crate = { ...report('b.crate'), leftOut: ['no Rust'] };
  const lines = releaseTable([
    { ...report('a.tgz'), bytes: 12_345, files: 9, passed: ['contents', 'licence'] },
    { ...report('longer.whl'), passed: ['metadata'], failed: ['serves it: no answer'] },
    crate,
  ]).split('\n');
  expect(lines).toEqual([
    'artefact    kB  files  checks',
    'a.tgz       12      9  contents, licence',
    'longer.whl             metadata, 1 FAILED',
    'b.crate',
    '',
    'left out: b.crate: no Rust',
    '',
    'failed: longer.whl: serves it: no answer',
    '',
    '3 checks passed, 1 failed, 1 left out',
  ]);
});

test('a file that is missing and one that does not belong there are named', () => {
  expect(contentProblems(['LICENSE', 'src/a.rs', 'notes.txt'], ['LICENSE', 'README.md', /^src\//])).toEqual([
    'README.md is missing',
    'notes.txt does not belong there',
  ]);
});

test('nothing is published from a changed checkout, from a commit without its tag, or from nowhere', () => {
  const ready = {
    version: '0.2.0',
    status: '',
    tags: ['v0.2.0'],
    manifests: [{ file: 'package.json', repository: {} }],
  };
  expect(publishingProblems(ready)).toEqual([]);
  const manifests = [{ file: 'package.json' }];
  expect(publishingProblems({ ...ready, status: ' M README.md', tags: ['v0.1.0'], manifests })).toEqual([
    'the checkout has changes that are not committed (git status)',
    'the commit has no tag v0.2.0 (git tag v0.2.0)',
    'package.json has no repository, which provenance needs',
  ]);
});

test('what others depend on is published first', () => {
  const commands = publishingCommands('0.2.0', 'output/release');
  expect(commands.indexOf('-p voxel-protocol')).toBeLessThan(commands.indexOf('-p voxel-quiche'));
  expect(commands).toContain('output/release/voxel-repair-0.2.0.tgz');
});
