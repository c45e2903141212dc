import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withTables } from '../../tools/package/api-tables.mjs';
import { root } from '../../tools/setup/paths.mjs';

const document = join(root, 'docs/EMBEDDING.md');
const text = readFileSync(document, 'utf8');

// `npm run package -- -u` writes them.
test('docs/EMBEDDING.md has every option, event and statistic as the types have them', async () => {
  await expect(await withTables(text)).toMatchFileSnapshot(document);
});

test('it has all four tables, and nothing in them is without a name and a type', () => {
  const tables = [...text.matchAll(/<!-- table: (\w+) -->\n([^]*?)<!-- end of table -->/g)];
  expect(tables.map(([, name]) => name)).toEqual(['options', 'events', 'statistics', 'records']);
  for (const [, , table] of tables) expect(table!.split('\n').length).toBeGreaterThan(8);
});

test('every option says what it does', () => {
  const [, options] = /<!-- table: options -->\n([^]*?)<!-- end of table -->/.exec(text)!;
  const rows = options!.split('\n').filter((line) => line.startsWith('| `'));
  const silent = rows.filter((row) => row.split(/(?<!\\)\|/)[3]!.trim() === '');
  expect(silent).toEqual([]);
});

test('a table that is stale is seen', async () => {
  const stale = text.replace('| `bufferSegments`   ', '| `segmentsOfBuffer` ');
  expect(stale).not.toBe(text);
  expect(await withTables(stale)).toBe(text);
});

test('a table that there is not is refused', async () => {
  await expect(withTables('<!-- table: nothing -->\n<!-- end of table -->')).rejects.toThrow(
    'there is no table nothing',
  );
});
