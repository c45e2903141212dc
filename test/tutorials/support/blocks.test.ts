import { expect, test } from 'vitest';
import { blocksOf } from './blocks.js';

test('blocks have a language, a use and their code, in the order of the page', () => {
  const page =
    'a\n\n```sh\nls\n```\n\n```sh server\nserve\n```\n\n```html index.html\n<p>\n```\n\n```\nnot told\n```\n';
  expect(blocksOf(page)).toEqual([
    { language: 'sh', use: undefined, code: 'ls\n' },
    { language: 'sh', use: 'server', code: 'serve\n' },
    { language: 'html', use: 'index.html', code: '<p>\n' },
  ]);
});
