import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseOptions } from './options.mjs';

test('the site is built into output/site unless told otherwise', () => {
  expect(parseOptions([])).toMatchObject({ serve: false, port: 8091, recording: undefined });
  expect(parseOptions([]).out).toMatch(/output\/site$/);
  expect(parseOptions(['--out', '/x/y', '--serve', '--port', '0'])).toMatchObject({
    out: '/x/y',
    serve: true,
    port: 0,
  });
});

test('a recording is a folder with a page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'voxel-recording-'));
  expect(() => parseOptions(['--recording', folder])).toThrow(/has no index.html/);
  writeFileSync(join(folder, 'index.html'), '');
  expect(parseOptions(['--recording', folder]).recording).toBe(folder);
  rmSync(folder, { recursive: true });
});

test.each([
  [['--port', '80'], '--port can only be used with --serve'],
  [['--serve', '--port', 'x'], "--port must be a whole number from 0 to 65535, got 'x'"],
  [['--record', '--recording', '.'], '--record cannot be used with --recording: one of them is shown'],
  [['--base', '/a'], /--base/],
])('%j: %s', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});
