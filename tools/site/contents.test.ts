import { expect, test } from 'vitest';
import { contentsOf, titleOf } from './contents.mjs';

const README = `# It

## Documentation

| for   | read                                                   |
| ----- | ------------------------------------------------------ |
| pages | [A](docs/A.md): a; [examples](examples/README.md)      |
| rules | [a file](docs/a.json), [B](docs/B.md)                  |

## Licence

| for  | read         |
| ---- | ------------ |
| none | [C](docs/C.md) |
`;

const documents = new Map([
  ['README.md', README],
  ['docs/A.md', '# First\n'],
  ['docs/B.md', '<!-- made -->\n\n# `B`\\*\n'],
  ['docs/C.md', 'none\n'],
  ['examples/README.md', '# Examples\n'],
]);

test('the contents are README’s table of documents, with the titles that the documents have', () => {
  expect(contentsOf(documents).slice(0, 2)).toEqual([
    {
      name: 'pages',
      entries: [
        { document: 'docs/A.md', title: 'First' },
        { document: 'examples/README.md', title: 'Examples' },
      ],
    },
    { name: 'rules', entries: [{ document: 'docs/B.md', title: 'B*' }] },
  ]);
});

test('a document that the table forgets is listed all the same', () => {
  expect(contentsOf(documents).slice(2)).toEqual([
    { name: 'more', entries: [{ document: 'docs/C.md', title: 'docs/C.md' }] },
  ]);
});

test('a document without a heading has no title', () => {
  expect(titleOf('text\n')).toBeUndefined();
});
