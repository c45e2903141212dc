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

/** The graph among the modules in `folder`, types included, tests and what they use aside. */
export function graphWithin(graph: ImportGraph, folder: string): ImportGraph {
  const isModule = (file: string) => isIn(file, [folder]) && !isForTests(file);
  const modules = [...graph].filter(([file]) => isModule(file));
  return new Map(modules.map(([file, targets]) => [file, new Set([...targets].filter(isModule))]));
}

/** The floor of each file of a graph without circles: 1 where it imports no other, else the one above the highest that it imports. */
export function floorsOf(graph: ImportGraph): Map<string, number> {
  const floors = new Map<string, number>();
  const floorOf = (file: string): number => {
    const floor = floors.get(file) ?? 1 + Math.max(0, ...[...graph.get(file)!].map(floorOf));
    floors.set(file, floor);
    return floor;
  };
  for (const file of graph.keys()) floorOf(file);
  return floors;
}

/** The arrows between the rooms of `folder`, which are the folders in it and itself: `from --> to` by their paths in it. */
export function roomArrows(graph: ImportGraph, folder: string): string[] {
  const roomOf = (file: string) => file.slice(folder.length + 1).match(/^([^/]+)\//)?.[1] ?? '.';
  const pairs = [...graphWithin(graph, folder)].flatMap(([file, targets]) =>
    [...targets].map((target) => [roomOf(file), roomOf(target)] as const),
  );
  return [...new Set(pairs.filter(([from, to]) => from !== to).map((pair) => pair.join(' --> ')))].sort();
}

/** A Mermaid graph of the modules in `folder`, the folders in it as boxes. */
export function drawing(graph: ImportGraph, folder: string): string {
  const within = graphWithin(graph, folder);
  const nameOf = (file: string) => file.slice(folder.length + 1).replace(/\.ts$/, '');
  const nodeOf = (file: string) => nameOf(file).replaceAll(/\W/g, '-');
  const names = [...within.keys()].map(nameOf).sort();
  const rooms = [...new Set(names.map((name) => posix.dirname(name)))];
  const boxes = rooms.flatMap((room) => {
    const inRoom = names.filter((name) => posix.dirname(name) === room);
    const nodes = inRoom.map((name) => `    ${nodeOf(`${folder}/${name}`)}[${posix.basename(name)}]`);
    return room === '.' ? nodes : [`  subgraph ${room}`, ...nodes, '  end'];
  });
  const arrows = [...within].flatMap(([file, targets]) =>
    [...targets].map((to) => `  ${nodeOf(file)} --> ${nodeOf(to)}`),
  );
  return ['graph TD', ...boxes, ...arrows.sort()].join('\n');
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
