import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../setup/paths.mjs';
import { FILES_WITH_VERSIONS, versionProblems, versionsIn, withVersion } from './versions.mjs';

const listed = execFileSync('git', ['ls-files', '--', ...FILES_WITH_VERSIONS], { cwd: root, encoding: 'utf8' });
const texts = listed
  .trim()
  .split('\n')
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

test('all packages, lock files and examples have the same version', () => {
  const versions = texts.flatMap(({ file, text }) => versionsIn(file, text));
  expect(versionProblems(versions, version)).toEqual([]);
});

test.each([
  'package.json',
  'package-lock.json',
  'packages/repair/package.json',
  'manifests/pyproject.toml',
  'server/aioquic/pyproject.toml',
  'server/quiche/Cargo.toml',
  'server/quiche/Cargo.lock',
  'examples/webcodecs/package.json',
])('the version in %s is found, and set', (path) => {
  const { file, text } = texts.find((each) => each.file === path)!;
  const found = versionsIn(file, text);
  expect(found.length).toBeGreaterThan(0);
  const changed = withVersion(file, text, '9.8.7-rc.6');
  expect(versionsIn(file, changed)).toEqual(found.map((each) => ({ ...each, version: '9.8.7-rc.6' })));
  // Nothing but our own versions has changed.
  expect(withVersion(file, changed, version)).toBe(text);
  const before = text.split('\n');
  expect(changed.split('\n').filter((line, index) => line !== before[index])).toHaveLength(found.length);
});

test('a version that differs is named with its place', () => {
  const found = versionsIn('server/quiche/Cargo.toml', '[workspace.package]\nversion = "0.2.0"\n');
  expect(versionProblems(found, '0.1.0')).toEqual([
    'server/quiche/Cargo.toml:2 has version 0.2.0, package.json has 0.1.0',
  ]);
});
