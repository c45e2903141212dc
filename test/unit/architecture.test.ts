import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../tools/setup/paths.mjs';

/** What ARCHITECTURE.md draws: a file belongs to the first of these folders that holds it. */
const PARTS = [
  'demo',
  'player/element',
  'player',
  'src/voxel-loader',
  'src/delivery',
  'src/abr-star',
  'src/coding',
  'src/repair',
  'src/manifest',
  'lab/sim',
];

const partOf = (file: string) => PARTS.find((part) => file.startsWith(`${part}/`));

/** `from --> to` of every part that imports another, types included, tests and their ladders aside. */
function arrows(): string[] {
  const files = execFileSync('git', ['ls-files', ...PARTS], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n');
  const found = files
    .filter((file) => /\.ts$/.test(file) && !/\.test\.ts$|\/testing\//.test(file))
    .flatMap((file) => importsOf(file).map((target) => [partOf(file)!, partOf(target)] as const));
  const between = found.filter(([from, to]) => to !== undefined && from !== to);
  return [...new Set(between.map(([from, to]) => `  ${nodeOf(from)} --> ${nodeOf(to!)}`))].sort();
}

function importsOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const paths = [...source.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) => path!);
  return paths.map((path) => relative(root, resolve(root, dirname(file), path)));
}

const nodeOf = (part: string) => `${part.replaceAll(/\W/g, '-')}[${part}/]`;

test('ARCHITECTURE.md draws every import between the parts, and no other', async () => {
  const path = join(root, 'ARCHITECTURE.md');
  const drawn = readFileSync(path, 'utf8').replace(
    /(```mermaid\ngraph TD\n)[^`]*/,
    (_, head: string) => `${head}${arrows().join('\n')}\n`,
  );
  // `npx vitest run --project unit test/unit/architecture.test.ts -u` draws it anew.
  await expect(drawn).toMatchFileSnapshot(path);
});
