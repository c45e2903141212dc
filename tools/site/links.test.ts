import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { brokenLinks } from './links.mjs';

const folder = mkdtempSync(join(tmpdir(), 'voxel-links-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function site(pages: Readonly<Record<string, string>>): string {
  for (const [name, html] of Object.entries(pages)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), html);
  }
  return folder;
}

test('pages, anchors and pictures that are there are no complaint', () => {
  const pages = {
    'index.html':
      '<a href="docs/a.html?q#part">a</a><a class="x" href="#main">b</a><p id="main"><a href="https://example.org">c</a>',
    'docs/a.html': '<h2 id="part">part</h2><a href="../index.html">up</a>',
  };
  expect(brokenLinks(site(pages))).toEqual([]);
});

test('a page, an anchor or a file that is missing is named with the page that leads there', () => {
  const pages = {
    'index.html': '<a href="b.html">b</a><a href="docs/a.html#none">a</a><img alt="" src="none.png">',
    'docs/a.html': '<a href="">itself</a><a href="../docs">a folder</a>',
  };
  expect(brokenLinks(site(pages))).toEqual([
    'index.html: b.html',
    'index.html: docs/a.html#none',
    'index.html: none.png',
    'docs/a.html: ../docs',
  ]);
});

test('scripts, pictures and fonts of other places are refused: the site works offline', () => {
  const pages = {
    'index.html':
      '<script src="https://example.org/a.js"></script><style>@import url(https://example.org/f.css);</style>',
  };
  expect(brokenLinks(site(pages))).toHaveLength(2);
});
