import { expect, test } from 'vitest';
import { blocksOf } from '../walk/blocks.mjs';
import { nameOf, newcomerTable } from './table.mjs';

test('a table has a line for each block, and how many there are of each kind', () => {
  const table = newcomerTable([
    { document: 'README.md', line: 4, block: 'npm start', outcome: 'ran', reason: '' },
    { document: 'docs/DEPLOY.md', line: 12, block: 'docker', outcome: 'listed', reason: 'no image registry' },
  ]);
  expect(table.split('\n')).toEqual([
    'document           block      outcome  reason',
    'README.md:4        npm start  ran',
    'docs/DEPLOY.md:12  docker     listed   no image registry',
    '',
    '1 ran, 0 with a stand-in, 1 listed, 0 failed',
  ]);
});

test('blocks are called by their file or by their first command, without its comment', () => {
  const blocks = blocksOf('```sh\n# why\nls   # lists\n```\n```html index.html\n<p>\n```\n```html part\n<p>\n```\n');
  expect(blocks.map(nameOf)).toEqual(['ls', 'index.html', '(html) <p>']);
});
