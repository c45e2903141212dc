import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { Zone } from './zones.js';

/** The text of each file, by its path from the checkout's root. */
export type Sources = ReadonlyMap<string, string>;

/** The files that each file imports, types included. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** All TypeScript files and scripts in the checkout at `root`, those that are not committed yet included. */
export function readSources(root: string): Sources {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.mjs'];
  const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const here = files.filter((file) => existsSync(posix.join(root, file)));
  return new Map(here.map((file) => [file, readFileSync(posix.join(root, file), 'utf8')]));
}

/** The graph of imports among `sources`; where a path leads elsewhere is the type checker's to judge. */
export function importGraph(sources: Sources): ImportGraph {
  const targets = (file: string, text: string) =>
    specifiersOf(text)
      .map((specifier) => posix.join(posix.dirname(file), specifier))
      .map((path) => (sources.has(path) ? path : path.replace(/\.js$/, '.ts')))
      .filter((path) => sources.has(path));
  return new Map([...sources].map(([file, text]) => [file, new Set(targets(file, text))]));
}

/** Relative paths in `from '…'`, `import '…'` and `import('…')`, types of comments in scripts included. */
const specifiersOf = (text: string) =>
  [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier]) => specifier!);

/** The circles of imports, each with all files that lead to one another; empty where there is none (Tarjan 1972). */
export function circles(graph: ImportGraph): string[][] {
  const found: string[][] = [];
  const open: string[] = [];
  /** The place of each file in the order in which they were reached; `Infinity` once all that it leads to is known. */
  const places = new Map<string, number>();

  const earliestFrom = (file: string): number => {
    const own = places.size;
    places.set(file, own);
    open.push(file);
    const targets = [...(graph.get(file) ?? [])];
    const earliest = Math.min(own, ...targets.map((target) => places.get(target) ?? earliestFrom(target)));
    if (earliest < own) return earliest;
    const members = open.splice(open.indexOf(file));
    for (const member of members) places.set(member, Infinity);
    if (members.length > 1 || targets.includes(file)) found.push(members);
    return Infinity;
  };

  for (const file of graph.keys()) if (!places.has(file)) earliestFrom(file);
  return found;
}

/** The imports that break one of `zones`, each as a line `FILE imports FILE`. */
export function forbiddenImports(graph: ImportGraph, zones: readonly Zone[]): string[] {
  const lines = zones.flatMap(({ folder, never, but = [], shipped = false }) =>
    [...graph]
      .filter(([file]) => isIn(file, [folder]) && !isIn(file, but) && !(shipped && isForTests(file)))
      .flatMap(([file, targets]) =>
        [...targets].filter((target) => isIn(target, never)).map((target) => `${file} imports ${target}`),
      ),
  );
  return [...new Set(lines)].sort();
}

/** Whether `file` is one of `places`, or in one of them. */
export const isIn = (file: string, places: readonly string[]) =>
  places.some((place) => file === place || file.startsWith(`${place}/`));

/** Whether `file` is a test, or stands beside tests for their use. */
export const isForTests = (file: string) => /\.test\.ts$|\/testing\/|\/testing\.ts$/.test(file);
