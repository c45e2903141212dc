import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../tools/setup/paths.mjs';

/** Doc comments of a language: what stands before the first word, at the beginning of a comment only. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  '.ts': /\/\*\*\s*(?:\n\s*\*\s*)?(?=(?:Of|By|As) )/g,
  '.mjs': /\/\*\*\s*(?:\n\s*\*\s*)?(?=(?:Of|By|As) )/g,
  '.rs': /(?<!\/\/[/!][^\n]*\n[ \t]*)\/\/[/!] ?(?=(?:Of|By|As) )/g,
  '.py': /"""\s*(?=(?:Of|By|As) )/g,
};

/** Lines at which doc comments begin without saying what the thing is. */
function withoutSubject(text: string, extension: string): number[] {
  return [...text.matchAll(BEGINNINGS[extension]!)].map(
    ({ index, 0: match }) => text.slice(0, index + match.length).split('\n').length,
  );
}

const sources = execFileSync('git', ['ls-files', 'src', 'player', 'lab', 'server', 'manifests'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => extname(file) in BEGINNINGS);

describe('doc comments', () => {
  test('begin with their subject, not with "Of", "By" or "As"', () => {
    const found = sources.flatMap((file) =>
      withoutSubject(readFileSync(join(root, file), 'utf8'), extname(file)).map((line) => `${file}:${line}`),
    );
    expect(sources.length).toBeGreaterThan(500);
    expect(found).toEqual([]);
  });

  test.each([
    [
      '.ts',
      '/** Of the manifest. */\nlet origin;\n/** Origin of the manifest.\n * Of a page that moves, the new one. */\n',
      [1],
    ],
    ['.ts', 'let a;\n/**\n * By segment.\n */\nlet b;\n', [3]],
    ['.mjs', '/** As people read it. */', [1]],
    [
      '.rs',
      '/// Name of a file,\n/// Of which there are two.\n/// By stream.\nlet a;\n    /// As datagrams.\n//! Of this crate.\n',
      [5],
    ],
    ['.py', 'A = 1\n"""Of a datagram."""\n"""Bytes of a datagram.\n\nOf one."""\n', [2]],
  ])('that begin without one are found in %s: %j', (extension, text, lines) => {
    expect(withoutSubject(text, extension)).toEqual(lines);
  });
});
