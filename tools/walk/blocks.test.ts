import { expect, test } from 'vitest';
import { blocksOf } from './blocks.mjs';

test('blocks have a language, a use, their code and its line, in the order of the page', () => {
  const page =
    'a\n\n```sh\nls\n```\n\n```sh server\nserve\n```\n\n```html index.html\n<p>\n```\n\n```\nnot told\n```\n';
  expect(blocksOf(page)).toEqual([
    { language: 'sh', use: undefined, code: 'ls\n', line: 4 },
    { language: 'sh', use: 'server', code: 'serve\n', line: 8 },
    { language: 'html', use: 'index.html', code: '<p>\n', line: 12 },
  ]);
});
