import { expect, test } from 'vitest';
import { anchorOf, pageOf, relativeAddress, resolveLink } from './addresses.mjs';

const documents = ['README.md', 'docs/ABR.md', 'examples/README.md', 'examples/vite/README.md'];
const repository = {
  isDocument: (path: string) => documents.includes(path),
  isFile: (path: string) => path === 'docs/demo.webp',
};

test('a document becomes a page of its name, and the README of a folder its first page', () => {
  expect(documents.map(pageOf)).toEqual([
    'README.html',
    'docs/ABR.html',
    'examples/index.html',
    'examples/vite/index.html',
  ]);
});

test('addresses are relative, so that the site can stand in any folder', () => {
  expect(relativeAddress('docs/ABR.html', 'assets/style.css')).toBe('../assets/style.css');
  expect(relativeAddress('docs/ABR.html', 'docs/ABR.html')).toBe('ABR.html');
});

test.each([
  ['docs/ABR.md', '../examples/README.md#run', '../examples/index.html#run'],
  ['docs/ABR.md', '../examples/vite/', '../examples/vite/index.html'],
  ['examples/vite/README.md', '../../README.md', '../../README.html'],
  ['docs/ABR.md', '#measured', '#measured'],
  ['docs/ABR.md', 'https://example.org/a.md', 'https://example.org/a.md'],
])('in %s, %s leads to %s', (document, link, address) => {
  expect(resolveLink(document, link, repository)).toEqual({ address });
});

test('a file that is no document goes to the site with the page that names it', () => {
  expect(resolveLink('README.md', 'docs/demo.webp', repository)).toEqual({
    address: 'docs/demo.webp',
    file: 'docs/demo.webp',
  });
});

test('what is not in the repository is broken', () => {
  expect(resolveLink('README.md', 'docs/NONE.md', repository)).toMatchObject({ broken: true });
});

test('anchors are those of Git hosts', () => {
  expect(anchorOf('The VOXEL protocol over WebTransport, `voxel-1`')).toBe(
    'the-voxel-protocol-over-webtransport-voxel-1',
  );
});
